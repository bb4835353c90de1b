import type { TrustProxy } from './forwarded.ts'

/** Method of a lean request that returns the genuine one; shared by all copies of this package. */
export const GENUINE_REQUEST: unique symbol = Symbol.for('x.http.genuine') as never

/**
 * The genuine Request behind a lean one; returns genuine requests unchanged. Needed for `new
 * Request(lean)` and `fetch(lean)`, because runtimes accept only their own class.
 */
export function toGenuineRequest(request: Request): Request {
  return (request as { [GENUINE_REQUEST]?: () => Request })[GENUINE_REQUEST]?.() ?? request
}

/** The handler type mounted by this package. */
export type FetchHandler<C = AdapterContext> = (
  request: Request,
  context: C,
) => Response | Promise<Response>

/** Information about the client, provided by the mount. */
export interface AdapterContext {
  /** The client address, behind trusted proxies too; absent if the platform does not provide it. */
  clientAddress?: string
  /** The client sent no host (HTTP/1.0, or an empty `Host`), so the one in `request.url` is a guess. */
  hostMissing?: true
}

/** Options of every mount. */
export interface AdapterOptions<Host, C = AdapterContext> {
  /** Served path prefix, by whole segments. Default `/`: all paths. */
  basePath?: string
  /** Selects served requests within `basePath`; must not read the body. Default: all. */
  match?: (request: Request) => boolean
  /**
   * Creates the handler's second argument, once per request. Default: `base` itself. `host` may be typed as
   * the framework's own request.
   */
  context?(host: Host, base: AdapterContext): C | Promise<C>
  /** Maximum bytes of a body, as received. Default 2 ** 30. */
  bodyLimit?: number
  /** Proxies whose `X-Forwarded-*` headers are trusted. Default: the framework's own setting, else none. */
  trustProxy?: TrustProxy
  /** Fixes scheme, host and port of `request.url`. Default: as requested by the client. */
  origin?: string | ((host: Host) => string)
  /**
   * Reports a failed request and may return its response; `'host'` passes the error to the framework.
   * Default: a plain 500.
   */
  onError?: 'host' | ((error: unknown, info: FailureInfo<Host>) => FailureAnswer)
  /**
   * Handling of targets whose path URL parsing would change: dot segments, backslashes, fragments, absolute
   * forms, no leading slash (node, Express, Fastify). `pass` leaves them to the host, whose routing
   * saw a different path; `normalize` serves the normalised URL, if it is within the mount. Default `pass`.
   */
  dotSegments?: 'pass' | 'normalize'
  /** The kind of request passed to the handler (node, Express, Fastify). Default `lean`. */
  request?: 'lean' | 'genuine'
}

/** A failed request; `sent` is true if status and headers were already sent. */
export interface FailureInfo<Host> {
  request: Request
  host: Host
  sent: boolean
}
type FailureAnswer = Response | void | Promise<Response | void>

/**
 * Arguments of a mount after the handler: the options, which are optional only if the handler's context has
 * no required members.
 */
export type OptionsFor<Host, C> = {} extends C
  ? [options?: AdapterOptions<Host, C>]
  : [options: AdapterOptions<Host, C> & { context: unknown }]
