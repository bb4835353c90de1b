import { responseParts } from '@x/wire'
import { BodyError } from './body-error.ts'
import { behindProxies, plainAddress } from './forwarded.ts'
import { createDispatcher } from './dispatcher.ts'
import type { AdapterOptions, FetchHandler } from './shapes.ts'

/** A platform's request with its information about the client. */
interface FetchCall<Host, Passed> {
  readonly request: Request
  readonly host: Host
  readonly address?: string | undefined
  /** Passes the request to the platform; without it the response is 404. */
  readonly pass?: () => Promise<Passed>
}

/** What is known of a platform. */
interface Platform {
  /** It compresses answers itself, also those that are compressed already. Default: if it is workerd. */
  readonly compresses?: boolean
}

/** Passes genuine requests to a handler; rejects only with `onError: 'host'`. */
export function createFetchBridge<Host, C, Passed = never>(
  called: string,
  handler: FetchHandler<C>,
  options: AdapterOptions<Host, C>,
  { compresses }: Platform = {},
): (call: FetchCall<Host, Passed>) => Promise<Response | Passed> {
  const dispatch = createDispatcher(called, handler, options)
  const { bodyLimit = 2 ** 30 } = options
  return async ({ request, host, address, pass }) =>
    new Promise((resolve, reject) => {
      const { origin, href, protocol, host: name } = new URL(request.url)
      const scheme = protocol === 'https:' ? 'https' : 'http'
      const peer = { address: plainAddress(address), scheme, host: name } as const
      dispatch({
        host,
        method: request.method,
        target: href.slice(origin.length).split('#', 1)[0] ?? '/',
        caller: (trust = false) => behindProxies(peer, trust, (key) => request.headers.get(key)),
        open: (url) =>
          prepared(request, { url, limit: bodyLimit, plain: compresses ?? isWorkerd() }),
        isGone: () => request.signal.aborted,
        isSent: () => false,
        send: (response) => resolve(answerTo(request, response)),
        breakOff: () => undefined,
        pass: pass && (() => resolve(pass())),
        fail: reject,
      })
    })
}

/** Platforms drop the body of a response to HEAD, and would leave its source running. */
function answerTo({ method }: Request, response: Response): Response {
  if (method !== 'HEAD' || response.body === null) return genuine(response)
  response.body.cancel().catch(() => undefined)
  return new Response(null, response)
}

/** Platforms accept only genuine responses. */
function genuine(response: Response): Response {
  return responseParts(response) === undefined ? response : new Response(response.body, response)
}

/** Workers compress each body under the `content-encoding` of its response. */
function isWorkerd(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } }
  return navigator?.userAgent === 'Cloudflare-Workers'
}

/** What the handler's request differs in. */
interface Wanted {
  readonly url: string
  /** Most bytes of the body. */
  readonly limit: number
  /** Without `accept-encoding`, so that the handler answers uncompressed. */
  readonly plain: boolean
}

/**
 * The request with this URL and a bounded body. The same object is used, unless its length is unknown or
 * too large, in which case reading fails. Built from its parts, because it may come from another
 * realm.
 */
function prepared(request: Request, { url, limit, plain }: Wanted): Request {
  const { method, signal, bodyUsed } = request
  const length = request.headers.get('content-length')
  const isBounded = bodyUsed || (length !== null && Number(length) <= limit)
  let body = request.body as ReadableStream<Uint8Array> | null
  if (body !== null && !isBounded) body = counted(body, limit, Number(length) || 0)
  const isPlain = !plain || !request.headers.has('accept-encoding')
  if (url === request.url && body === request.body && isPlain) return request
  const headers = new Headers(request.headers)
  if (plain) headers.delete('accept-encoding')
  if (bodyUsed) body = consumed()
  const init = { method, headers, signal, body, duplex: 'half' as const }
  return new Request(url, init)
}

/** The same body, untouched until read; fails above the limit. */
function counted(
  body: ReadableStream<Uint8Array>,
  limit: number,
  announced: number,
): ReadableStream<Uint8Array> {
  const tooLarge = new BodyError('body_too_large', limit)
  let size = announced
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (size > limit) throw tooLarge
        reader ??= body.getReader()
        const { done, value } = await reader.read()
        if (done) return controller.close()
        size += value.length
        if (size <= limit) return controller.enqueue(value)
        await reader.cancel()
        throw tooLarge
      },
      cancel: (reason) => (reader ?? body).cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** A body that fails when read, because the host has consumed it. */
export function consumed(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull() {
      throw new BodyError('body_consumed')
    },
  })
}
