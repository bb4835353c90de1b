import type {
  AdapterContext,
  AdapterOptions,
  FetchHandler,
  SelfSufficient,
  WithContext,
} from './lib/shapes.ts'
import { createGate, notFound } from './lib/to-fetch.ts'

/** What Next gives a route handler. */
export interface NextHost {
  request: Request
  routeContext: unknown
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
type RouteHandler = (request: Request, routeContext?: unknown) => Promise<Response>

/**
 * Mounts a handler in the app router of Next, in a `route.ts` of a catch-all folder:
 * `export const { GET, POST, PUT, PATCH, DELETE } = nextHandlers(handler)`. The handler sees the
 * full path; what is not for it is answered with 404.
 * @throws TypeError naming an option that is unknown or invalid
 */
export function nextHandlers<C>(
  handler: FetchHandler<C>,
  options: WithContext<NextHost, C>,
): Record<Method, RouteHandler>
export function nextHandlers<C = AdapterContext>(
  handler: SelfSufficient<C>,
  options?: AdapterOptions<NextHost, C>,
): Record<Method, RouteHandler>
export function nextHandlers<C>(
  handler: FetchHandler<C>,
  options: AdapterOptions<NextHost, C> = {},
): Record<Method, RouteHandler> {
  const gate = createGate(handler, options)
  const route: RouteHandler = async (request, routeContext) =>
    (await gate({ request, host: { request, routeContext } })) ?? notFound()
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
