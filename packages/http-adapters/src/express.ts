import type { IncomingMessage, ServerResponse } from 'node:http'
import { createNodeBridge } from './lib/node/node-bridge.ts'
import type { TrustProxy } from './lib/forwarded.ts'
import type { AdapterContext, FetchHandler, OptionsFor } from './lib/shapes.ts'

/** The used part of an Express (5 or 4) or Connect request. */
export interface ExpressRequest extends IncomingMessage {
  /** The path before routers removed their prefixes. */
  originalUrl?: string
  /** The prefix removed by routers. */
  baseUrl?: string
  /** The application, whose `trust proxy` setting applies. */
  app?: { get(setting: string): unknown }
}
export type ExpressResponse = ServerResponse

/** A middleware that calls `next()` only for requests it does not serve. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Mounts a handler in Express 5 or 4, at any depth: `app.use('/scim', expressHandler(handler))`. The
 * handler sees the full original path; other requests are passed to `next()`.
 * @throws TypeError naming an option that is unknown or invalid
 */
export function expressHandler<C = AdapterContext>(
  handler: FetchHandler<C>,
  ...[options = {}]: OptionsFor<ExpressRequest, C>
): ExpressHandler {
  const serve = createNodeBridge('expressHandler', handler, options)
  return (request, response, next) => {
    serve({
      message: request,
      reply: response,
      host: request,
      target: request.originalUrl ?? request.url,
      prefix: request.baseUrl,
      trust: () => trustOf(request),
      pass: () => next(),
      fail: next,
    })
  }
}

/** Express's compiled setting, from which it derives `req.ip` and `req.protocol`. */
function trustOf({ app }: ExpressRequest): TrustProxy {
  const setting = app?.get('trust proxy fn')
  return typeof setting === 'function' ? (setting as Exclude<TrustProxy, boolean>) : false
}
