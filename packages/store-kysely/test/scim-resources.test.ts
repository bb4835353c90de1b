import type { ScimStore } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { afterEach, expect, test } from 'vitest'
import { fileDatabase, postgresDatabase, postgresUrl, type TestDatabase } from './databases.ts'

const TENANT = 'default'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const sqlStore = (open: () => Promise<TestDatabase>) => async (): Promise<ScimStore> => {
  const database = await open()
  closing.push(() => database.close())
  await migrateScim(database.db)
  return createScimStore(database.db)
}

const kinds: [name: string, open: () => Promise<ScimStore>][] = [
  ['memory', async () => createMemoryScimStore()],
  ['a SQLite file', sqlStore(() => fileDatabase())],
  ...(postgresUrl === null
    ? []
    : ([['PostgreSQL', sqlStore(postgresDatabase)]] as [string, () => Promise<ScimStore>][])),
]

test.each(kinds)(
  'SH-40 resources of own types are part of a transaction on %s',
  async (_name, open) => {
    const store = await open()
    const record = (id: string) => ({
      tenant: TENANT,
      id,
      externalId: null,
      uniqueKeys: { displayName: id },
      data: `{"displayName":"${id}"}`,
      created: new Date(),
      lastModified: new Date(),
      version: 1,
    })
    const insert = (id: string, failure?: Error) =>
      store.transaction(TENANT, async (tx) => {
        const roles = tx.resources?.('Role')
        await roles?.insert?.(TENANT, record(id))
        expect((await roles?.get(TENANT, id))?.id).toBe(id)
        if (failure !== undefined) throw failure
      })
    const undone = new Error('undone')
    await expect(insert('admin', undone)).rejects.toBe(undone)
    expect(await store.resources?.('Role').get(TENANT, 'admin')).toBeNull()
    await insert('admin')
    expect(await store.resources?.('Role').get(TENANT, 'admin')).not.toBeNull()
    expect(await store.resources?.('Entitlement').get(TENANT, 'admin')).toBeNull()
  },
)
