import type { IncomingMessage, ServerResponse } from 'node:http'
import { Bridge, type Mount } from './lib/bridge.ts'
import type { TrustProxy } from './lib/forwarded.ts'
import type {
  AdapterContext,
  AdapterOptions,
  FetchHandler,
  SelfSufficient,
  WithContext,
} from './lib/shapes.ts'

/** What of an Express (5 or 4) or Connect request is used. */
export interface ExpressRequest extends IncomingMessage {
  /** The path before any router has cut something off. */
  originalUrl?: string
  /** The application, whose setting `trust proxy` counts. */
  app?: { get(setting: string): unknown }
}
export type ExpressResponse = ServerResponse

/** A middleware, and the end of the line for what it serves. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Mounts a handler in Express 5 or 4, at any depth: `app.use('/scim', expressHandler(handler))`. The
 * handler sees the full original path; what is not for it goes on to `next()`.
 * @throws TypeError naming an option that is unknown or invalid
 */
export function expressHandler<C>(
  handler: FetchHandler<C>,
  options: WithContext<ExpressRequest, C>,
): ExpressHandler
export function expressHandler<C = AdapterContext>(
  handler: SelfSufficient<C>,
  options?: AdapterOptions<ExpressRequest, C>,
): ExpressHandler
export function expressHandler<C>(
  handler: FetchHandler<C>,
  options: AdapterOptions<ExpressRequest, C> = {},
): ExpressHandler {
  const bridge = new Bridge(handler, options, MOUNT)
  return (request, response, next) => {
    bridge.serve({ message: request, reply: response, host: request, way: next })
  }
}

const MOUNT: Mount<ExpressRequest, (error?: unknown) => void> = {
  target: ({ originalUrl, url }) => originalUrl ?? url,
  parsed: (request) => request as object,
  // The compiled setting: the function by which Express itself finds `req.ip` and `req.protocol`.
  trust: ({ app }) => asTrust(app?.get('trust proxy fn')),
  pass: (next) => next(),
  fail: (next, error) => next(error),
}

function asTrust(setting: unknown): TrustProxy {
  return typeof setting === 'function' ? (setting as Exclude<TrustProxy, boolean>) : false
}
