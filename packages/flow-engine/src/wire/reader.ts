import { z } from 'zod'

/** The problem of one value, in the words of the service's validation elements (base.md). */
export interface ValueProblem {
  readonly type: string
  readonly msg: string
  readonly ctx?: Readonly<Record<string, unknown>>
}

const PROBLEM = Symbol('problem')
type Marked = ValueProblem & { readonly [PROBLEM]: true }

/** A problem to be returned from the reading function of a `reader`. */
export function problem(type: string, msg: string, ctx?: ValueProblem['ctx']): Marked {
  return { type, msg, ...(ctx === undefined ? {} : { ctx }), [PROBLEM]: true }
}

/** A key that must be there and is not. */
export const missing = problem('missing', 'Field required')

/**
 * A zod schema around a reading function. An absent value is `missing`; `json` is what the schema
 * looks like in OpenAPI.
 */
export function reader<T>(
  json: Readonly<Record<string, unknown>>,
  read: (value: unknown) => T | Marked,
): z.ZodType<T> {
  const schema = z.unknown().transform((value, ctx): T => {
    const result = value === undefined ? missing : read(value)
    if (!isProblem(result)) return result
    const { type, msg, ctx: details } = result
    ctx.addIssue({ code: 'custom', message: msg, params: { problem: { type, msg, ctx: details } } })
    return z.NEVER
  })
  return schema.meta(json)
}

function isProblem(value: unknown): value is Marked {
  return typeof value === 'object' && value !== null && PROBLEM in value
}
