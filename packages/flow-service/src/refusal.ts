import { FlowError, isFlowError, type FlowErrorCode } from '@x/flow-engine'

const CODES: ReadonlyMap<number, FlowErrorCode> = new Map([
  [400, 'invalid_request'],
  [401, 'unauthenticated'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'conflict'],
  [413, 'too_large'],
  [415, 'invalid_body'],
  [422, 'invalid_body'],
  [429, 'rate_limited'],
  [503, 'rate_limited'],
])

/** Parts of a refusal besides its message. */
export interface RefusalOptions {
  /** Additional response headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** The `detail` of the response, if it is not a string. */
  readonly body?: unknown
  readonly cause?: unknown
}

/** A FlowError that defines its HTTP response: status, `detail` (safe to show) and headers. */
export class Refusal extends FlowError {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, detail: string, { headers = {}, body, cause }: RefusalOptions = {}) {
    super(CODES.get(status) ?? 'internal', detail, { status, cause })
    this.body = body ?? detail
    this.headers = headers
  }

  /** True for those of another copy of this package as well. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== Refusal) return Function.prototype[Symbol.hasInstance].call(this, value)
    return isFlowError(value) && 'body' in value && 'headers' in value
  }
}

/** Creates a refusal with `{"detail": detail}` as the body. */
export function refuse(status: number, detail: string, options?: RefusalOptions): Refusal {
  return new Refusal(status, detail, options)
}

/** One element of a validation error response. */
export interface ValidationElement {
  readonly type: string
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly input: unknown
  readonly ctx?: Readonly<Record<string, unknown>>
}

/** A 422 response with these elements. */
export function invalid(elements: readonly ValidationElement[]): Refusal {
  const [first] = elements
  const detail = first === undefined ? 'Invalid input' : `${first.loc.join('.')}: ${first.msg}`
  return new Refusal(422, detail, { body: elements })
}
