import { z } from 'zod'

/** The problem of a value, in the format of a validation error. */
export interface ValueProblem {
  readonly type: string
  readonly msg: string
  readonly ctx?: Readonly<Record<string, unknown>>
}

const PROBLEM = Symbol('problem')
type Marked = ValueProblem & { readonly [PROBLEM]: true }

/** Creates a problem to be returned from the parse function of a `reader`. */
export function valueProblem(type: string, msg: string, ctx?: ValueProblem['ctx']): Marked {
  return { type, msg, ...(ctx === undefined ? {} : { ctx }), [PROBLEM]: true }
}

/** A required key is absent. */
export const missing = valueProblem('missing', 'Field required')

/**
 * A zod schema around a parse function. An absent value is `missing`; `json` is its JSON Schema for OpenAPI.
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
