import { isObject } from '@x/wire'
import type { JsonSchema, SuspendOptions } from '../../components/define/suspend-options.ts'
import { InvalidAnswerError, invalidRequest, limitExceeded } from '../../errors.ts'
import type { Ask, CallPlace } from '../context/run-host.ts'
import { isStandardSchema, readAnswerSchema } from './answer-schema.ts'

/** Maximum size of a question in bytes of JSON. */
const MAX_QUESTION_BYTES = 256 * 1024

/** Where a question is asked. */
export interface AskPlace extends CallPlace {
  readonly pass: number | undefined
  readonly sessionId: string
  /** Masks the run's secrets. */
  readonly mask: <T>(value: T) => T
}

/**
 * Creates the stored form of a question: plain JSON, masked, with a schema that any process can check.
 * @throws FlowError `invalid_request` for an unsupported schema or time, `limit_exceeded` over 256 KiB
 */
export async function makeAsk(
  question: unknown,
  options: SuspendOptions,
  { vertexId, scope, pass, sessionId, mask }: AskPlace,
): Promise<Ask> {
  const { schema, expiresInMs, kind = 'question', prompt = null, actionRequests } = options
  if (expiresInMs !== undefined && !(expiresInMs > 0))
    throw invalidRequest(`expiresInMs must be a number above 0, got ${String(expiresInMs)}`)
  const chosen = options.options ?? []
  const { fallback } = options
  const shown = mask({
    question: plain(question),
    prompt,
    options: chosen.map(({ actionId, label }) => ({ actionId, label })),
    ...(actionRequests === undefined
      ? {}
      : { actionRequests: plain(actionRequests) as NonNullable<Ask['actionRequests']> }),
  })
  const asked = {
    vertexId,
    ...(scope === undefined ? {} : { scope }),
    pass,
    sessionId,
    kind,
    allowedDecisions: decisions(chosen, fallback),
    schema: schema === undefined ? null : await readAnswerSchema(schema),
    ...shown,
  }
  const size = new TextEncoder().encode(JSON.stringify(asked)).length
  if (size > MAX_QUESTION_BYTES)
    throw limitExceeded('question', `it has ${size} bytes; the maximum is ${MAX_QUESTION_BYTES}`)
  return {
    ...asked,
    ...(expiresInMs === undefined || expiresInMs === Number.POSITIVE_INFINITY
      ? {}
      : { expiresInMs }),
    ...(fallback === undefined ? {} : { fallback: [plain(fallback)] as const }),
  }
}

/** The options, plus the fallback if it is an additional choice. */
function decisions(options: readonly { readonly actionId: string }[], fallback: unknown): string[] {
  const ids = options.map(({ actionId }) => actionId)
  const last = isObject(fallback) ? fallback['action_id'] : undefined
  return ids.length > 0 && typeof last === 'string' && !ids.includes(last) ? [...ids, last] : ids
}

function plain(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text === undefined ? null : (JSON.parse(text) as unknown)
}

/**
 * Converts an answer for the component: a Standard Schema applies defaults and transforms.
 * @throws FlowError `invalid_answer`
 */
export async function transformAnswer(
  schema: JsonSchema | SuspendOptions['schema'],
  answer: unknown,
): Promise<unknown> {
  if (schema === undefined || !isStandardSchema(schema)) return answer
  const result = await schema['~standard'].validate(answer)
  if (result.issues === undefined) return result.value
  throw new InvalidAnswerError(
    result.issues.map(({ message, path }) => ({ message, path: pathText(path) })),
  )
}

function pathText(path: unknown): string {
  if (!Array.isArray(path)) return ''
  const keys = path.map((part: unknown) => (isObject(part) ? part['key'] : part))
  return keys.map(String).join('.')
}
