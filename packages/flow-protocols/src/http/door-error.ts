import { isFlowError, InvalidAnswerError } from '@x/flow-engine'
import { isBodyTooLarge } from '@x/wire'

/** Codes of the errors of the doors. */
export type DoorErrorCode =
  | 'invalid_request'
  | 'flow_not_chat'
  | 'chat_id_too_short'
  | 'unauthorized'
  | 'flow_not_found'
  | 'file_not_found'
  | 'not_found'
  | 'method_not_allowed'
  | 'turn_running'
  | 'question_closed'
  | 'too_large'
  | 'unsupported_media'
  | 'invalid_answer'
  | 'limit_exceeded'
  | 'internal'
  | 'store_unavailable'
  | 'forbidden'

const STATUS: Readonly<Record<DoorErrorCode, number>> = {
  invalid_request: 400,
  flow_not_chat: 400,
  chat_id_too_short: 400,
  unauthorized: 401,
  flow_not_found: 404,
  file_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  turn_running: 409,
  question_closed: 409,
  too_large: 413,
  unsupported_media: 415,
  invalid_answer: 422,
  limit_exceeded: 429,
  internal: 500,
  store_unavailable: 503,
  forbidden: 403,
}

/** An error of a request, before its stream begins. */
export class DoorError extends Error {
  readonly code: DoorErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** What is wrong with an answer. */
  readonly problems: readonly { readonly path: string; readonly message: string }[]

  constructor(
    code: DoorErrorCode,
    message: string,
    {
      headers = {},
      problems = [],
      cause,
    }: {
      readonly headers?: Readonly<Record<string, string>>
      readonly problems?: DoorError['problems']
      readonly cause?: unknown
    } = {},
  ) {
    super(message, { cause })
    this.name = 'DoorError'
    this.code = code
    this.status = STATUS[code]
    this.headers = headers
    this.problems = problems
  }
}

export const invalid = (message: string): DoorError => new DoorError('invalid_request', message)

const RETRY = { 'retry-after': '5' }

/** The error as a door shows it; undefined for one that is reported and not shown. */
export function toDoorError(error: unknown): DoorError | undefined {
  if (error instanceof DoorError) return error
  if (isBodyTooLarge(error)) return new DoorError('too_large', 'The body is larger than 32 MB.')
  if (error instanceof InvalidAnswerError) {
    const { problems } = error
    const [first] = problems
    const message = first === undefined ? error.detail : sentence(first)
    return new DoorError('invalid_answer', message, { problems, cause: error })
  }
  if (!isFlowError(error)) return undefined
  const { code, status, detail } = error
  const headers = headersOf(error)
  if (status === 429) return new DoorError('limit_exceeded', detail, { headers })
  if (status === 503 || code === 'store_unavailable')
    return new DoorError('store_unavailable', detail, { headers })
  if (code === 'too_large') return new DoorError('too_large', detail)
  if (code === 'invalid_request' || status === 400 || status === 422) return invalid(detail)
  return undefined
}

function sentence({ path, message }: DoorError['problems'][number]): string {
  return path === '' ? message : `${path} ${message}`
}

function headersOf(error: object): Readonly<Record<string, string>> {
  const given: unknown = Reflect.get(error, 'headers')
  const own =
    typeof given === 'object' && given !== null ? Reflect.get(given, 'retry-after') : undefined
  return typeof own === 'string' ? { 'retry-after': own } : RETRY
}
