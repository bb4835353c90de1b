import { needs } from '@x/test-kit/needs'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { describe, expect, test } from 'vitest'
import { fileDatabase, postgresDatabase } from './databases.ts'
import { TENANT, user } from './scim-corpus.ts'

describe('reads of the SCIM store', () => {
  test('never wait for a running transaction on SQLite, and do not see it', async () => {
    const database = await fileDatabase()
    const { db } = database
    await migrateScim(db)
    const store = createScimStore(db)
    await store.users.insert(TENANT, user(1, {}))
    let finish: () => void = () => undefined
    const finished = new Promise<void>((resolve) => (finish = resolve))
    let running: Promise<void> = Promise.resolve()
    // The engine may give the event loop a turn before it begins a transaction.
    await new Promise<void>((written) => {
      running = store.transaction(TENANT, async (tx) => {
        await tx.users.insert(TENANT, user(2, {}))
        written()
        await finished
      })
    })
    const ids = [user(1, {}).id, user(2, {}).id]
    expect(await store.users.list(TENANT, { limit: 5, withTotal: true })).toMatchObject({
      total: 1,
    })
    expect([...(await store.users.briefs(TENANT, ids)).keys()]).toEqual(ids.slice(0, 1))
    expect((await store.members.groupsOf(TENANT, ids)).size).toBe(0)
    expect(await store.users.get(TENANT, user(2, {}).id, { withGroups: true })).toBeNull()
    finish()
    await running
    await database.close()
  })

  test(
    'SC-31 are the same on both databases in one process, wherever the page begins',
    needs('postgres'),
    async () => {
      const pages: unknown[] = []
      for (const open of [fileDatabase, postgresDatabase, fileDatabase]) {
        const database = await open()
        const { db } = database
        await migrateScim(db)
        const store = createScimStore(db)
        for (const n of [1, 2, 3, 4]) await store.users.insert(TENANT, user(n, {}))
        const ids: string[][] = []
        for (const offset of [0, 2, 1, 3]) {
          const { records } = await store.users.list(TENANT, { limit: 2, offset, withTotal: true })
          ids.push(records.map(({ id }) => id))
        }
        pages.push(ids)
        await database.close()
      }
      expect(pages[1]).toEqual(pages[0])
      expect(pages[2]).toEqual(pages[0])
      expect(new Set((pages[0] as string[][]).flat()).size).toBe(4)
    },
  )
})
