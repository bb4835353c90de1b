import { joinedVary } from './lib/joined-vary.ts'
import { consumed, createFetchBridge } from './lib/fetch-bridge.ts'
import type { AdapterContext, FetchHandler, OptionsFor } from './lib/shapes.ts'

/** The used part of a Hono context. */
export interface HonoContext {
  readonly req: {
    readonly raw: Request
    arrayBuffer(): Promise<ArrayBuffer>
    formData(): Promise<FormData>
  }
  readonly env: unknown
  /** The response prepared by middleware. */
  res?: Response | undefined
}

export type HonoHandler = (c: HonoContext, next: () => Promise<void>) => Promise<Response | void>

/**
 * Mounts a handler in Hono: `app.all('/api/*', honoHandler(handler))`. The handler sees the full
 * path; other requests are passed to `next()`.
 * @throws TypeError naming an option that is unknown or invalid
 */
export function honoHandler<C = AdapterContext>(
  handler: FetchHandler<C>,
  ...[options = {}]: OptionsFor<HonoContext, C>
): HonoHandler {
  const gate = createFetchBridge<HonoContext, C, void>('honoHandler', handler, options)
  return async (c, next) => {
    const request = c.req.raw.bodyUsed ? await restored(c) : c.req.raw
    const arrival = { request, host: c, address: addressFrom(c.env) }
    let passed: Promise<void> | undefined
    const answer = await gate({ ...arrival, pass: () => (passed = next()) })
    if (passed === undefined && answer !== undefined) return joined(c, answer)
  }
}

/**
 * The response with the host's headers: cookies and `Vary` of both, otherwise the handler's take precedence. Hono itself would override the handler's.
 */
function joined(c: HonoContext, answer: Response): Response {
  const prepared = c.res?.headers
  if (prepared === undefined || [...prepared.keys()].length === 0) return answer
  const headers = new Headers(answer.headers)
  for (const cookie of prepared.getSetCookie()) headers.append('set-cookie', cookie)
  const vary = [prepared.get('vary'), headers.get('vary')].filter((value) => value !== null)
  if (vary.length > 0) headers.set('vary', joinedVary(vary))
  for (const [name, value] of prepared) {
    const isOwn = headers.has(name) || name === 'set-cookie' || name === 'content-type'
    if (!isOwn) headers.set(name, value)
  }
  const { status, statusText, body } = answer
  const both = new Response(body, { status, statusText, headers })
  // Cleared first, because Hono merges a new response with the previous one.
  c.res = undefined
  c.res = both
  return both
}

/** The request with the body the host has already read through Hono. */
async function restored({ req }: HonoContext): Promise<Request> {
  const { url, method, signal } = req.raw
  const headers = new Headers(req.raw.headers)
  const body = await readAgain(req, headers.get('content-type') ?? '').catch(consumed)
  // A re-encoded form has a new boundary.
  if (body instanceof FormData) headers.delete('content-type')
  const init = { method, headers, signal, body, duplex: 'half' as const }
  return new Request(url, init)
}

async function readAgain(
  req: HonoContext['req'],
  type: string,
): Promise<ArrayBuffer | FormData | URLSearchParams> {
  if (/^multipart\/form-data/i.test(type)) return req.formData()
  if (!/^application\/x-www-form-urlencoded/i.test(type)) return req.arrayBuffer()
  const again = new URLSearchParams()
  for (const [name, value] of await req.formData()) {
    again.append(name, typeof value === 'string' ? value : value.name)
  }
  return again
}

/** Sources of the client address: node-server provides its message, other platforms an info object. */
function addressFrom(env: unknown): string | undefined {
  const { incoming, remoteAddr } = Object(env) as ServerBindings
  return incoming?.socket?.remoteAddress ?? remoteAddr?.hostname
}

interface ServerBindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } }
  readonly remoteAddr?: { readonly hostname?: string }
}
