import type { IncomingMessage, ServerResponse } from 'node:http'

/** A segment `.` or `..` below the base path, which the adapter never serves, as it was sent. */
const DOTTED = /^\/+api\/v1\/scim\/v2\/(?:[^?#]*\/)?(?:\.|%2e){1,2}(?:[/?#]|$)/i

const NOT_FOUND = JSON.stringify({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: '404',
  detail: 'The resource does not exist.',
})

/** Answers a SCIM request for such an id as for every other one that does not exist; false: it is none. */
export function refuseDotted({ url = '' }: IncomingMessage, reply: ServerResponse): boolean {
  if (!DOTTED.test(url)) return false
  const headers = { 'content-type': 'application/scim+json', 'cache-control': 'no-store' }
  reply.writeHead(404, headers).end(NOT_FOUND)
  return true
}
