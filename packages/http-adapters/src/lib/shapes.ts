import type { TrustProxy } from './forwarded.ts'

/** The method of a lean request that gives the genuine one, of whatever copy of this package. */
export const GENUINE_REQUEST: unique symbol = Symbol.for('x.http.genuine') as never

/**
 * The genuine Request behind a lean one; the same object when it is genuine already (AD-12).
 * `new Request(lean)` and `fetch(lean)` need it: the runtime takes no other object for a Request.
 */
export function toGenuineRequest(request: Request): Request {
  return (request as { [GENUINE_REQUEST]?: () => Request })[GENUINE_REQUEST]?.() ?? request
}

/** The one thing this package mounts. */
export type FetchHandler<C = AdapterContext> = (
  request: Request,
  context: C,
) => Response | Promise<Response>

/** Information that a mount has about the client. */
export interface AdapterContext {
  /** The client address, also behind trusted proxies; absent if the platform does not provide it. */
  clientAddress?: string
  /** The client named no host (HTTP/1.0, or an empty `Host`): the one in `request.url` is a guess. */
  hostMissing?: true
}

/** The settings of every mount; each has a default. */
export interface AdapterOptions<Host, C = AdapterContext> {
  /** Paths that are served: this one and those below it. Default `/`: all of them. */
  basePath?: string
  /** Which requests inside `basePath` are served; the body may not be touched. Default: all. */
  match?: (request: Request) => boolean
  /**
   * Makes the second argument of the handler, once for each request. Default: `base` itself.
   * The host may be typed as the framework's own request.
   */
  context?(host: Host, base: AdapterContext): C | Promise<C>
  /** The most bytes of a body that are read, as received. Default 2 ** 30. */
  bodyLimit?: number
  /** Proxies whose `X-Forwarded-*` headers are used. Default: the host's own setting, else none. */
  trustProxy?: TrustProxy
  /** Fixes scheme, host and port of `request.url`. Default: what the client asked for. */
  origin?: string | ((host: Host) => string)
  /** Reports, or answers, a failed request; `'host'` leaves it to the framework. Default: a plain 500. */
  onError?: 'host' | ((error: unknown, info: FailureInfo<Host>) => FailureAnswer)
  /**
   * Targets whose path the URL standard would change: dot segments, backslashes, absolute forms
   * (node, Express, Fastify; AB-20). `pass` leaves them to the host, whose routing saw another path;
   * `normalize` serves them as URL writes them, inside the mount. Default `pass`.
   */
  dotSegments?: 'pass' | 'normalize'
  /** The kind of request that the handler gets (node, Express, Fastify). Default `lean`. */
  request?: 'lean' | 'genuine'
}

/** A failed request; `sent` when its status and headers have left already. */
export interface FailureInfo<Host> {
  request: Request
  host: Host
  sent: boolean
}
type FailureAnswer = Response | void | Promise<Response | void>

/**
 * The arguments of a mount after the handler: its options, which may only be left out when the context
 * of the handler has no required members (AD-2).
 */
export type OptionsFor<Host, C> = {} extends C
  ? [options?: AdapterOptions<Host, C>]
  : [options: AdapterOptions<Host, C> & { context: unknown }]
