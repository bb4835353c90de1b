import { createFetchBridge } from './lib/fetch-bridge.ts'
import type { AdapterContext, FetchHandler, OptionsFor } from './lib/shapes.ts'

/** The arguments Next.js passes to a route handler. */
export interface NextHost {
  request: Request
  routeContext: unknown
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
type RouteHandler = (request: Request, routeContext?: unknown) => Promise<Response>

/**
 * Mounts a handler in the Next.js app router, in the `route.ts` of a catch-all folder: `export const { GET,
 * POST, PUT, PATCH, DELETE } = nextHandlers(handler)`. The handler sees the full path; other requests get
 * 404.
 * @throws TypeError naming an unknown or invalid option
 */
export function nextHandlers<C = AdapterContext>(
  handler: FetchHandler<C>,
  ...[options = {}]: OptionsFor<NextHost, C>
): Record<Method, RouteHandler> {
  // Next compresses answers that are compressed already.
  const gate = createFetchBridge('nextHandlers', handler, options, { compresses: true })
  const route: RouteHandler = async (request, routeContext) =>
    gate({ request, host: { request, routeContext } })
  return {
    GET: route,
    HEAD: route,
    POST: route,
    PUT: route,
    PATCH: route,
    DELETE: route,
    OPTIONS: route,
  }
}
