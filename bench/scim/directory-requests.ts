import { load, type LoadRequest } from '../lib/load.ts'
import type { ServerProcess } from '../lib/server-process.ts'
import { TOKEN } from './data-set.ts'
import type { Directory } from './directory-data.ts'

export const BASE = '/api/v1/scim/v2'
export const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' }
const PATCH_URN = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** A server and what is in its directory. */
export interface Side {
  readonly server: ServerProcess
  readonly directory: Directory
  readonly address: string
}

export const get = (path: string): LoadRequest => ({ path: BASE + path, headers })
export const filtered = (type: string, filter: string): LoadRequest =>
  get(`/${type}?filter=${encodeURIComponent(filter)}`)
export const patch = (path: string, operation: object): LoadRequest => ({
  method: 'PATCH',
  path: BASE + path,
  headers,
  body: JSON.stringify({ schemas: [PATCH_URN], Operations: [operation] }),
})

/** CPU microseconds of a request. */
export async function costOf(
  { server }: Pick<Side, 'server'>,
  options: Omit<Parameters<typeof load>[0], 'port'>,
) {
  const cpu = await server.cpuOf(() => load({ port: server.port, ...options }))
  return cpu / options.requests
}
