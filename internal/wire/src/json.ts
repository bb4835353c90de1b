import { deferredResponse, isFastPathRequest } from './deferred-response.ts'

/** The differences of a JSON response from `200 application/json`. */
export interface JsonInit {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A JSON response to `request`, deferred if its adapter can send one from its parts. */
export function json(request: Request, value: unknown, init: JsonInit = {}): Response {
  return respond(request, JSON.stringify(value), {
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  })
}

/** A response with an available body, deferred if the adapter of `request` can send it from its parts. */
export function respond(
  request: Request,
  body: string | Uint8Array | null,
  { status = 200, headers = {} }: JsonInit = {},
): Response {
  if (isFastPathRequest(request)) {
    return deferredResponse({ status, headers: Object.entries(headers), body })
  }
  return new Response(body as string | null, { status, headers: { ...headers } })
}
