import { json, mountedAt, outsideBasePath, pathBelow, type RouteTable } from '@x/wire'

/**
 * The 404 of a path without a route. One outside of the base path, or one whose end is a route of the API,
 * says so, because the handler is probably mounted elsewhere.
 */
export function outsideBase(
  request: Request,
  path: string,
  { basePath, table }: { readonly basePath: string; readonly table: RouteTable<object> },
): Response {
  const isInside = pathBelow(path, basePath) !== undefined
  // Where nothing is outside, the end of a path says little: /api/v1/health is no mount of /health.
  const isRoute = (rest: string): boolean =>
    (basePath !== '' || rest.startsWith('/api/')) &&
    table.match(request.method, rest).kind !== 'none'
  const mount = isInside && basePath !== '' ? undefined : mountedAt(path, isRoute)
  const place = `base path "${basePath === '' ? '/' : basePath}" of the flow API`
  const isHidden = isInside && mount === undefined
  const detail = isHidden ? 'Not Found' : outsideBasePath(path, { place, mount })
  return json(request, { detail }, { status: 404 })
}
