/** Why a signal is refused (RFC 8935 section 2.4). */
export class SignalError extends Error {
  readonly code:
    | 'invalid_request'
    | 'invalid_key'
    | 'invalid_issuer'
    | 'invalid_audience'
    | 'authentication_failed'

  constructor(code: SignalError['code'], message: string) {
    super(message)
    this.name = 'SignalError'
    this.code = code
  }
}
