import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeListener } from '@x/http-adapters/node'
import { createScimHandler } from '@x/scim-core'
import { createScimStore } from '@x/store-kysely/scim'
import { openSqlite } from '@x/store-kysely/sqlite'
import { keepHeapSmall } from '../../examples/reference-server/src/small-heap.ts'
import { reportUsage } from '../lib/report-usage.ts'
import { BASE_URL, TOKEN } from './data-set.ts'

// The handler over the SQL store behind the adapter of node:http, with the default options, on the heap
// that the reference server sets.
keepHeapSmall()
const [path = ''] = process.argv.slice(2)
const handler = createScimHandler({
  store: createScimStore(openSqlite(path)),
  baseUrl: BASE_URL,
  auth: { kind: 'token', token: TOKEN },
})
const server = createServer(toNodeListener(handler))
server.listen(0, '127.0.0.1', () => reportUsage((server.address() as AddressInfo).port))
