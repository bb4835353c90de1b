import { createScimService } from '@x/scim-core'
import { openPostgres } from '@x/store-kysely/postgres'
import { createScimStore } from '@x/store-kysely/scim'
import { openSqlite } from '@x/store-kysely/sqlite'
import { BASE, TOKEN } from './scim-handler.ts'

/** Changes users, eight at a time, with an outbox, and writes a line for each change. */
const [address = ''] = process.argv.slice(2)
const db = address.startsWith('postgres')
  ? openPostgres<unknown>(address)
  : openSqlite<unknown>(address)
const auth = { kind: 'token', token: TOKEN } as const
const { users } = createScimService({
  store: createScimStore(db),
  baseUrl: BASE,
  auth,
  outbox: true,
})

let next = 0
async function write(): Promise<void> {
  while (next < 1_000) {
    const n = next++
    const { id } = await users.create('default', { userName: `u${n}@corp.example` })
    for (const value of ['a', 'b', 'c']) {
      await users.patch('default', id, [{ op: 'replace', path: 'title', value }])
      process.stdout.write(`${n}\n`)
    }
  }
}

await Promise.all(Array.from({ length: 8 }, write))
