import { BODY_TOO_LARGE } from '@x/wire'

const STATUS = { body_too_large: 413, body_consumed: 500, client_gone: 499 } as const

/** A request body could not be read. */
export class BodyError extends Error {
  /** Too large, already consumed by the host, or interrupted by a client disconnect. */
  readonly code: keyof typeof STATUS
  readonly status: 413 | 500 | 499
  /** The exceeded limit, in bytes. */
  readonly limit?: number

  constructor(code: keyof typeof STATUS, limit?: number) {
    super(code === 'body_too_large' ? `Request body is larger than ${limit} bytes` : code)
    this.name = 'BodyError'
    this.code = code
    this.status = STATUS[code]
    if (limit !== undefined) this.limit = limit
  }

  /** Lets the cores recognise the error and respond in their own format. */
  get [BODY_TOO_LARGE](): boolean {
    return this.code === 'body_too_large'
  }
}
