/** A refusal with its code, answered as `{"error":{"code","message"}}`. */
export class PortalError extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.name = 'PortalError'
    this.status = status
    this.code = code
    this.headers = headers
  }
}

/** 400 for a value of a body or query. */
export const invalid = (message: string): PortalError => new PortalError(400, 'invalid', message)

/** 404 for a path that is not served. */
export const missingPage = (): PortalError =>
  new PortalError(404, 'not_found', 'There is no such page.')

/** 404, also for what belongs to another tenant. */
export const missing = (what: string): PortalError =>
  new PortalError(404, 'not_found', `${what} does not exist.`)
