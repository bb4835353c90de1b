import { Refusal } from '../../refusal.ts'

/** The `type` of an error of the OpenAI API. */
export type OpenAiErrorType =
  | 'invalid_request_error'
  | 'rate_limit_error'
  | 'insufficient_quota'
  | 'server_error'

/** An OpenAI error object; all four keys are always present. */
export interface OpenAiError {
  readonly message: string
  readonly type: OpenAiErrorType
  /** The invalid field of the body. */
  readonly param: string | null
  readonly code: string | null
}

/** A refusal in the OpenAI error format. */
export class OpenAiRefusal extends Refusal {
  readonly error: OpenAiError

  constructor(
    status: number,
    { type = typeOf(status), param = null, code, message }: Partial<OpenAiError> & OpenAiDetail,
    cause?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) {
    super(status, message, { cause, ...(headers && { headers }) })
    this.error = { message, type, param, code }
  }
}

type OpenAiDetail = Pick<OpenAiError, 'message' | 'code'>

function typeOf(status: number): OpenAiErrorType {
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'server_error'
}
