import { type GroupRecord, type ScimStore } from '@x/scim-core'
import { openPostgres } from '@x/store-kysely/postgres'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { openSqlite } from '@x/store-kysely/sqlite'
import type { Kysely } from 'kysely'
import { describe, expect, test } from 'vitest'
import { fileDatabase, postgresDatabase, postgresUrl, type TestDatabase } from './databases.ts'

const TENANT = 'acme'
const PAGE = 10
const START = Date.UTC(2031, 0, 1)

function group(n: number): GroupRecord {
  const displayName = `group ${String(n).padStart(3, '0')}`
  return {
    tenant: TENANT,
    id: `g${String(n).padStart(3, '0')}`,
    externalId: null,
    displayName,
    displayNameKey: displayName,
    uniqueKey: displayName,
    data: '{}',
    created: new Date(START + n),
    lastModified: new Date(START + n),
    version: 1,
  }
}

async function page(store: ScimStore, offset: number): Promise<string[]> {
  const { records } = await store.groups.list(TENANT, { offset, limit: PAGE, withTotal: true })
  return records.map(({ id }) => id)
}

/** The pages of a list, read in turn by two processes; `between` runs before each page but the first. */
async function walk(
  stores: readonly [ScimStore, ScimStore],
  between: (offset: number) => Promise<void> = () => Promise.resolve(),
): Promise<string[]> {
  const seen: string[] = []
  for (let offset = 0, turn = 0; ; offset += PAGE, turn += 1) {
    if (offset > 0) await between(offset)
    const ids = await page(stores[turn % 2] as ScimStore, offset)
    seen.push(...ids)
    if (ids.length < PAGE) return seen
  }
}

const kinds: [
  string,
  boolean,
  () => Promise<TestDatabase>,
  (address: string) => Kysely<unknown>,
][] = [
  ['a SQLite file', true, fileDatabase, (address) => openSqlite(address)],
  ['PostgreSQL', postgresUrl !== null, postgresDatabase, (address) => openPostgres(address)],
]

describe.each(kinds)(
  'AB-84 SH-65 two processes that read the pages of one list on %s',
  (...kind) => {
    const [, isThere, create, open] = kind
    test.skipIf(!isThere)(
      'after a change by either each page begins where the data say',
      async () => {
        const database = await create()
        await migrateScim(database.db)
        const other = open(database.address)
        const a = createScimStore(database.db)
        const b = createScimStore(other)
        for (let n = 0; n < 60; n += 1) await a.groups.insert(TENANT, group(n))
        const all = Array.from({ length: 60 }, (_, n) => group(n).id)

        // Both remember where the pages of the whole list end.
        expect(await walk([a, a])).toEqual(all)
        expect(await walk([b, b])).toEqual(all)
        // One removes groups of the first page; the other has remembered the old ends.
        for (let n = 0; n < 5; n += 1) await b.groups.remove(TENANT, group(n).id)
        expect(await walk([b, a])).toEqual(all.slice(5))
        expect(await walk([a, b])).toEqual(all.slice(5))
        // As many come as go, so that the total stays: the row before the position is gone.
        await b.groups.remove(TENANT, group(14).id)
        await b.groups.insert(TENANT, group(60))
        const rest = [...all.slice(5).filter((id) => id !== group(14).id), group(60).id]
        expect(await walk([b, a])).toEqual(rest)
        await other.destroy()
        await database.close()
      },
    )
  },
)
