/** True on errors of this class, also of another copy of this code. */
const BODY_REFUSED: unique symbol = Symbol.for('x.http.body-refused') as never

/** Phrases of RFC 9110 and RFC 6585 as Node writes them; this code also runs where Node's are missing. */
const PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Entity',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
}

/** The host ended a request body with a status of its own, such as its limit of bytes. */
export class BodyRefusedError extends Error {
  readonly [BODY_REFUSED] = true
  /** 400 to 499. */
  readonly status: number

  constructor(status: number, options?: ErrorOptions) {
    super(PHRASES[status] ?? 'Bad Request', options)
    this.name = 'BodyRefusedError'
    this.status = status
  }
}

/** Recognises a BodyRefusedError, also from another copy of this code. Its message is safe to show. */
export function isBodyRefused(value: unknown): value is BodyRefusedError {
  return typeof value === 'object' && value !== null && Reflect.get(value, BODY_REFUSED) === true
}

/**
 * What a failed read of a request body means: a BodyRefusedError for any value with a `status` or
 * `statusCode` of 400 to 499, else the value itself. Errors of adapters have a meaning of their own.
 */
export function bodyFailure(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || isBodyRefused(error)) return error
  if (OWN_CODES.has(Reflect.get(error, 'code'))) return error
  const status = [Reflect.get(error, 'status'), Reflect.get(error, 'statusCode')].find(isRefusal)
  return status === undefined ? error : new BodyRefusedError(status, { cause: error })
}

/** Codes of an adapter's BodyError. */
const OWN_CODES: ReadonlySet<unknown> = new Set(['body_too_large', 'body_consumed', 'client_gone'])

function isRefusal(status: unknown): status is number {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) < 500
}
