import { impersonateBuiltin } from './impersonate-builtin.ts'

/** Present on a request whose adapter can send a response from its parts. */
export const LEAN_REQUEST: unique symbol = Symbol.for('x.http.lean') as never
/** Method of a deferred response that returns its parts; undefined once it was used as a Response. */
export const RESPONSE_PARTS: unique symbol = Symbol.for('x.http.parts') as never

/** The parts from which an adapter sends a response without constructing one. */
export interface ResponseParts {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | Uint8Array | null
}

/** True if this request may get a deferred response. */
export function isFastPathRequest(request: Request): boolean {
  return (request as { [LEAN_REQUEST]?: unknown })[LEAN_REQUEST] === true
}

/** The parts of a deferred response that has not been used as a Response; otherwise undefined. */
export function responseParts(response: Response): ResponseParts | undefined {
  const parts = (response as { [RESPONSE_PARTS]?: () => ResponseParts | undefined })[RESPONSE_PARTS]
  return typeof parts === 'function' ? parts.call(response) : undefined
}

/**
 * A Response that is constructed on first use. Until then, the adapter that created the request sends its
 * parts directly.
 */
export function deferredResponse(parts: ResponseParts): Response {
  return new DeferredResponse(parts) as unknown as Response
}

class DeferredResponse {
  readonly #parts: ResponseParts
  #genuine: Response | undefined

  constructor(parts: ResponseParts) {
    this.#parts = parts
  }

  [RESPONSE_PARTS](): ResponseParts | undefined {
    return this.#genuine === undefined ? this.#parts : undefined
  }
  get status(): number {
    return this.#parts.status
  }
  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }
  get bodyUsed(): boolean {
    return this.#genuine?.bodyUsed ?? false
  }

  #build(): Response {
    const { status, headers, body } = this.#parts
    this.#genuine ??= new Response(body as string | null, {
      status,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
    })
    return this.#genuine
  }

  static {
    impersonateBuiltin(DeferredResponse, Response, (response) => response.#build())
  }
}
