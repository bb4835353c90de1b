import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDirectoryPortal, createSyncLog } from '@x/directory-portal'
import { toNodeListener } from '@x/http-adapters/node'
import { createScimService } from '@x/scim-core'
import { createScimConnections } from '@x/scim-core/connections'
import { createPortalStore } from '@x/store-kysely/portal'
import { createScimStore } from '@x/store-kysely/scim'
import { keepHeapSmall } from '../../examples/reference-server/src/small-heap.ts'
import { reportUsage } from '../lib/report-usage.ts'
import { openAny } from './directory-data.ts'
import { BASE_URL, TENANT, TOKEN } from './data-set.ts'

// SCIM and the portal over it, on SQLite or PostgreSQL.
keepHeapSmall()
const [address = ''] = process.argv.slice(2)
const db = openAny(address)
const scimStore = createScimStore(db)
const store = createPortalStore(db)
const log = createSyncLog({ store })
const service = createScimService({
  store: scimStore,
  baseUrl: BASE_URL,
  auth: { kind: 'token', token: TOKEN },
  cursor: true,
  maxPageSize: 1000,
})
const portal = createDirectoryPortal({
  connections: createScimConnections({ store: scimStore.connections, tokens: scimStore.tokens }),
  service,
  store,
  log,
  baseUrl: BASE_URL,
  app: { name: 'Bench' },
  session: () => ({ tenant: TENANT, actor: 'bench', permission: 'manage' }),
})
const { signal } = new AbortController()
const listener = toNodeListener(async (request) => {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith('/directory')) return portal.handle(request)
  if (pathname !== '/maintain') return service.handle(request)
  await portal.maintain({ signal })
  return new Response()
})
const server = createServer(listener)
server.listen(0, '127.0.0.1', () => reportUsage((server.address() as AddressInfo).port))
