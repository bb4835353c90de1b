import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeListener } from '@x/http-adapters/node'
import { createScimHandler } from '@x/scim-core'
import { openJournalStore } from './journal-store.ts'

const {
  PORT = '3000',
  JOURNAL = 'journal.jsonl',
  SCIM_TOKEN = 'a-long-random-secret',
} = process.env

const scim = createScimHandler({
  store: await openJournalStore(JOURNAL),
  baseUrl: 'https://app.example/scim/v2',
  auth: { kind: 'token', token: SCIM_TOKEN },
})

const server = createServer(toNodeListener(scim))
server.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(`Listening on http://127.0.0.1:${port}`)
})
