import { withHeaders } from './with-headers.ts'

export const REQUEST_ID = 'x-request-id'

/** Printable ASCII without blanks at its ends, which headers lose. */
const GIVEN = /^[!-~](?:[ -~]{0,126}[!-~])?$/

/**
 * The id of a request: that of the host, else the header `x-request-id` (printable ASCII, at most 128
 * characters), else a made one (OP-10).
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

/** The answer with the id of its request in `x-request-id`. */
export function withRequestId(response: Response, id: string): Response {
  // An id of a host may be what no header can hold.
  return GIVEN.test(id) ? withHeaders(response, [[REQUEST_ID, id]], { replace: true }) : response
}
