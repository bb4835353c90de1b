import { FlowError, type FlowErrorCode } from './errors.ts'

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

/** Parts of a refusal besides its text. */
export interface RefusalOptions {
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>
  /** The `detail` of the answer where it is no text. */
  readonly body?: unknown
  readonly cause?: unknown
}

/** A FlowError that knows its answer: status, `detail` (safe to show) and headers. */
export class Refusal extends FlowError {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, detail: string, { headers = {}, body, cause }: RefusalOptions = {}) {
    super(CODES.get(status) ?? 'internal', detail, { status, cause })
    this.body = body ?? detail
    this.headers = headers
  }
}

/** An answer of that status with `{"detail": detail}`. */
export function refuse(status: number, detail: string, options?: RefusalOptions): Refusal {
  return new Refusal(status, detail, options)
}

/** One element of a validation answer (base.md). */
export interface ValidationElement {
  readonly type: string
  readonly loc: readonly (string | number)[]
  readonly msg: string
  readonly input: unknown
  readonly ctx?: Readonly<Record<string, unknown>>
}

/** 422 with these elements. */
export function invalid(elements: readonly ValidationElement[]): Refusal {
  const [first] = elements
  const detail = first === undefined ? 'Invalid input' : `${first.loc.join('.')}: ${first.msg}`
  return new Refusal(422, detail, { body: elements })
}
