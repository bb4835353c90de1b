import { deferredResponse, isLeanRequest } from './deferred-response.ts'

/** Differences of a JSON response from `200 application/json`. */
export interface JsonInit {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A JSON answer to `request`, deferred where its adapter can send one from its parts. */
export function json(request: Request, value: unknown, init: JsonInit = {}): Response {
  return respond(request, JSON.stringify(value), {
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  })
}

/** An answer with a body that is at hand, deferred where the adapter of `request` can send it. */
export function respond(
  request: Request,
  body: string | Uint8Array | null,
  { status = 200, headers = {} }: JsonInit = {},
): Response {
  if (isLeanRequest(request)) {
    return deferredResponse({ status, headers: Object.entries(headers), body })
  }
  return new Response(body as string | null, { status, headers: { ...headers } })
}
