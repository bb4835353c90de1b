import { PortalError } from './portal-error.ts'

/**
 * Refuses what a page of another site can make a browser send: forms, and scripts without our header.
 * @throws PortalError unsupported_media_type, cross_site
 */
export function assertOwnPage(request: Request, origin: string): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw new PortalError(415, 'unsupported_media_type', 'The media type must be application/json.')
  const site = request.headers.get('sec-fetch-site')
  const from = request.headers.get('origin')
  const isOwn =
    request.headers.get('x-directory-portal') === '1' &&
    (site === null || site === 'same-origin') &&
    (from === null || from === origin)
  if (!isOwn)
    throw new PortalError(403, 'cross_site', 'The request does not come from a page of the portal.')
}
