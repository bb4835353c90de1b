import { BodyError } from './lib/body-error.ts'
import type {
  AdapterContext,
  AdapterOptions,
  FetchHandler,
  SelfSufficient,
  WithContext,
} from './lib/shapes.ts'
import { createGate } from './lib/to-fetch.ts'

/** What of a Hono context is used. */
export interface HonoContext {
  readonly req: {
    readonly raw: Request
    arrayBuffer(): Promise<ArrayBuffer>
    formData(): Promise<FormData>
  }
  readonly env: unknown
}

export type HonoHandler = (c: HonoContext, next: () => Promise<void>) => Promise<Response | void>

/**
 * Mounts a handler in Hono: `app.all('/api/*', honoHandler(handler))`. The handler sees the full
 * path; what is not for it goes on to `next()`.
 * @throws TypeError naming an option that is unknown or invalid
 */
export function honoHandler<C>(
  handler: FetchHandler<C>,
  options: WithContext<HonoContext, C>,
): HonoHandler
export function honoHandler<C = AdapterContext>(
  handler: SelfSufficient<C>,
  options?: AdapterOptions<HonoContext, C>,
): HonoHandler
export function honoHandler<C>(
  handler: FetchHandler<C>,
  options: AdapterOptions<HonoContext, C> = {},
): HonoHandler {
  const gate = createGate(handler, options)
  return async (c, next) => {
    const request = c.req.raw.bodyUsed ? await restored(c) : c.req.raw
    const response = await gate({ request, host: c, address: addressFrom(c.env) })
    return response ?? next()
  }
}

/** The request with the body that the host has read through Hono (AD-15). */
async function restored({ req }: HonoContext): Promise<Request> {
  const { url, method, signal } = req.raw
  const headers = new Headers(req.raw.headers)
  const type = headers.get('content-type') ?? ''
  const isForm = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)/i.test(type)
  const body = await (isForm ? formBody(req, type) : req.arrayBuffer()).catch(lost)
  // The boundary of a form that is written again is a new one.
  if (body instanceof FormData) headers.delete('content-type')
  const init = { method, headers, signal, body, duplex: 'half' as const }
  return new Request(url, init)
}

async function formBody(req: HonoContext['req'], type: string): Promise<FormData | string> {
  const form = await req.formData()
  if (/^multipart/i.test(type)) return form
  const fields = [...form].map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : value.name,
  ])
  return new URLSearchParams(fields).toString()
}

/** A body that fails when it is read: what the host read past Hono cannot be had again. */
function lost(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      controller.error(new BodyError('body_consumed'))
    },
  })
}

/** What the servers under Hono tell of the client: node-server its message, others an info object. */
function addressFrom(env: unknown): string | undefined {
  const { incoming, remoteAddr } = Object(env) as ServerBindings
  return incoming?.socket?.remoteAddress ?? remoteAddr?.hostname
}

interface ServerBindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } }
  readonly remoteAddr?: { readonly hostname?: string }
}
