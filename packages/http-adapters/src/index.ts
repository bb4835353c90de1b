import { deferredResponse, isFastPathRequest } from '@x/wire'
import { createFetchBridge } from './lib/fetch-bridge.ts'
import type { AdapterContext, FetchHandler, OptionsFor } from './lib/shapes.ts'

export { BodyError } from './lib/body-error.ts'
export { lazyHandler, type LazyHandler } from './lib/lazy-handler.ts'
export { toGenuineRequest } from './lib/shapes.ts'
export type { AdapterContext, AdapterOptions, FetchHandler } from './lib/shapes.ts'

/** A fetch function for Deno, Bun and Workers, which pass additional arguments. */
export type PlatformFetch = (request: Request, ...platform: unknown[]) => Promise<Response>

/**
 * Mounts a handler in a server that calls a fetch function: `Deno.serve(toFetch(handler))`. Other requests
 * get 404.
 * @throws TypeError naming an unknown or invalid option
 */
export function toFetch<C = AdapterContext>(
  handler: FetchHandler<C>,
  ...[options = {}]: OptionsFor<Request, C>
): PlatformFetch {
  const gate = createFetchBridge('toFetch', handler, options)
  return async (request, ...platform) =>
    gate({ request, host: request, address: addressFrom(request, platform[0]) })
}

/**
 * A JSON response: deferred if the mount can send it without building a Response. Default
 * `200`, `application/json`.
 * @throws TypeError if the value cannot be serialised
 */
export function jsonResponse(
  request: Request,
  value: unknown,
  { status = 200, headers }: { status?: number; headers?: HeadersInit } = {},
): Response {
  const body: string | undefined = JSON.stringify(value)
  if (body === undefined) throw new TypeError('The value cannot be written as JSON')
  const lines = headers === undefined ? JSON_ONLY : withJsonType(headers)
  return isFastPathRequest(request)
    ? deferredResponse({ status, headers: lines, body })
    : new Response(body, { status, headers: [...lines] })
}

type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>

type HeaderLines = [name: string, value: string][]

const JSON_ONLY: HeaderLines = [['content-type', 'application/json']]

function withJsonType(headers: HeadersInit): HeaderLines {
  const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers)
  const lines = entries.map(([name = '', value]): HeaderLines[0] => [name, String(value)])
  const isTyped = lines.some(([name]) => name.toLowerCase() === 'content-type')
  return isTyped ? lines : [...JSON_ONLY, ...lines]
}

/** The client address, as provided by Deno (`info.remoteAddr`) and Bun (`server.requestIP`). */
function addressFrom(request: Request, platform: unknown): string | undefined {
  const { remoteAddr, requestIP } = Object(platform) as PlatformInfo
  return remoteAddr?.hostname ?? requestIP?.call(platform, request)?.address
}

interface PlatformInfo {
  readonly remoteAddr?: { readonly hostname?: string }
  readonly requestIP?: (request: Request) => { readonly address: string } | null
}
