import { withHeaders } from './with-headers.ts'

export const REQUEST_ID = 'x-request-id'

/** Printable ASCII without leading or trailing spaces, which headers lose. */
const GIVEN = /^[!-~](?:[ -~]{0,126}[!-~])?$/

/**
 * The id of a request: the host's, else the header `x-request-id` (printable ASCII, at most 128
 * characters), else a random one.
 */
export function requestIdOf(
  request: Request,
  given: string | undefined,
  make: () => string,
): string {
  if (given !== undefined) return given
  const sent = request.headers.get(REQUEST_ID)
  return sent !== null && GIVEN.test(sent) ? sent : make()
}

/** Adds the request id to a response as `x-request-id`. */
export function withRequestId(response: Response, id: string): Response {
  // A host's id may contain characters that are not allowed in headers.
  return GIVEN.test(id) ? withHeaders(response, [[REQUEST_ID, id]], { replace: true }) : response
}
