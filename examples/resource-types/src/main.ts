import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeListener } from '@x/http-adapters/node'
import { createScimHandler } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { resourceTypes } from './types.ts'

const { PORT = '3000', SCIM_TOKEN = 'a-long-random-secret' } = process.env
const isTypesOff = process.env['RESOURCE_TYPES'] === 'none'

const scim = createScimHandler({
  store: createMemoryScimStore(),
  baseUrl: `http://127.0.0.1:${PORT}/scim/v2`,
  auth: { kind: 'token', token: SCIM_TOKEN },
  resourceTypes: isTypesOff ? [] : resourceTypes,
  // The settings of the conformance guide: any user name, DELETE removes, empty lists are omitted.
  userName: 'any',
  deleteUser: 'remove',
  emptyMembers: 'omit',
})

const server = createServer(toNodeListener(scim))
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
