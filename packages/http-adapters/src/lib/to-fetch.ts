import { responseParts } from '@x/wire'
import { failureAnswer, isAbort, isResponse, plainAnswer } from './answers.ts'
import { BodyError } from './body-error.ts'
import { behindProxies, plainAddress } from './forwarded.ts'
import { checkOptions, readOrigin } from './options.ts'
import type { AdapterOptions, FetchHandler } from './shapes.ts'
import { isBelow, originOf } from './target.ts'

/** A genuine request of a platform, and what the platform tells of its client. */
export interface Arrival<Host> {
  readonly request: Request
  readonly host: Host
  readonly address?: string | undefined
}

/**
 * Leads genuine requests through a handler; undefined for one that is not for it. Rejects only with
 * `onError: 'host'`.
 */
export function createGate<Host, C>(
  handler: FetchHandler<C>,
  options: AdapterOptions<Host, C>,
): (arrival: Arrival<Host>) => Promise<Response | undefined> {
  checkOptions(handler, options)
  const { basePath = '/', match, bodyLimit = 2 ** 30, onError } = options
  const { pathname } = new URL(basePath, 'http://localhost')

  async function answer(arrival: Arrival<Host>): Promise<Response | undefined> {
    const { origin, href, protocol, host: asked } = new URL(arrival.request.url)
    const path = href.slice(origin.length)
    if (!isBelow(path, pathname)) return undefined
    const peer = {
      address: plainAddress(arrival.address),
      scheme: protocol === 'https:' ? 'https' : 'http',
      host: asked,
    } as const
    const { address, scheme, host } = behindProxies(peer, options.trustProxy ?? false, (name) =>
      arrival.request.headers.get(name),
    )
    const wanted =
      options.origin === undefined
        ? originOf(scheme, host)
        : readOrigin(
            typeof options.origin === 'string' ? options.origin : options.origin(arrival.host),
          )
    if (wanted === null) return plainAnswer(400, 'Invalid Host header')

    const limited = withLimit(arrival.request, bodyLimit)
    const request = wanted === origin ? limited : rebuilt(limited, { url: wanted + path })
    if (match?.(request) === false) return undefined
    const base = address === undefined ? {} : { clientAddress: address }
    // Without the option `C` has no member that must be there (SelfSufficient).
    const made =
      options.context === undefined ? (base as C) : await options.context(arrival.host, base)
    const response: unknown = await handler(request, made)
    if (!isResponse(response)) throw new TypeError('The handler returned no Response')
    return response
  }

  async function failed({ host, request }: Arrival<Host>, error: unknown): Promise<Response> {
    if (onError === 'host') throw error
    // What a client that left has cut off is no failure.
    if (onError === undefined || (request.signal.aborted && isAbort(error))) {
      return failureAnswer(error)
    }
    try {
      const given = await onError(error, { request, host, sent: false })
      return isResponse(given) ? given : failureAnswer(error)
    } catch {
      return failureAnswer(error)
    }
  }

  return async (arrival) => {
    try {
      const response = await answer(arrival)
      return response && genuine(response)
    } catch (error) {
      const response = await failed(arrival, error)
      return genuine(response)
    }
  }
}

/** A platform sends genuine responses only. */
function genuine(response: Response): Response {
  const parts = responseParts(response)
  if (parts === undefined) return response
  const headers = parts.headers.map(([name, value]): [string, string] => [name, value])
  return new Response(parts.body, { status: parts.status, headers })
}

/** The same request, unless its length is unknown or too large: then its reader is told (AD-16). */
function withLimit(request: Request, limit: number): Request {
  const { body } = request
  const length = request.headers.get('content-length')
  if (body === null || request.bodyUsed || (length !== null && Number(length) <= limit))
    return request
  let size = Number(length)
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  const counted = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (size > limit) throw new BodyError('body_too_large', limit)
        reader ??= (body as ReadableStream<Uint8Array>).getReader()
        const { done, value } = await reader.read()
        if (done) return controller.close()
        size += value.byteLength
        if (size > limit) {
          await reader.cancel()
          throw new BodyError('body_too_large', limit)
        }
        controller.enqueue(value)
      },
      cancel: (reason) => reader?.cancel(reason),
    },
    { highWaterMark: 0 },
  )
  return rebuilt(request, { body: counted })
}

/** The same request with another address or body, built from its parts: it may be none of Node's. */
function rebuilt(request: Request, change: { url?: string; body?: ReadableStream }): Request {
  const { url, method, headers, signal, body } = request
  const init = { method, headers, signal, body, duplex: 'half' as const, ...change }
  return new Request(change.url ?? url, init)
}

/** What a platform without anything behind the mount answers (AD-7). */
export function notFound(): Response {
  return genuine(plainAnswer(404, 'Not Found'))
}
