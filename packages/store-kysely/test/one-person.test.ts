import { createMemoryScimStore } from '@x/scim-core/memory'
import { migrateFlow } from '@x/store-kysely/flow'
import { linkUsers } from '@x/store-kysely/link'
import { migrateScim } from '@x/store-kysely/scim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emptyTables, memoryDatabase, type TestDatabase } from './databases.ts'
import { runHistory } from './one-person.ts'

const ADA = '7c000000-0000-4000-8000-000000000001'

describe('SF-60 SF-61 whatever directories do, a person stays one user', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await memoryDatabase()
    await migrateScim(database.db)
    await migrateFlow(database.db)
  })
  afterAll(() => database.close())

  test('in memory', async () => {
    for (let seed = 0; seed < 8; seed += 1) {
      await runHistory({ store: createMemoryScimStore() }, { seed, steps: 25 })
    }
    expect.hasAssertions()
  })

  test('in SQL, with an account that existed before', async () => {
    for (let seed = 100; seed < 104; seed += 1) {
      await emptyTables(database.db)
      const { scim, flow } = linkUsers(database.db, { adoptUsers: true })
      await flow.users.insert({
        id: ADA,
        username: 'ADA@corp.example',
        passwordHash: 'hash',
        profileImage: null,
        storeApiKey: null,
        isActive: true,
        isSuperuser: false,
        optins: null,
        createdAt: new Date(0),
        updatedAt: new Date(0),
        tokenEpoch: 0,
        lastLoginAt: null,
      })
      const account = (id: string) => flow.users.get(id)
      const existing = new Map([['e-ada', ADA]])
      await runHistory({ store: scim, account, existing }, { seed, steps: 25 })
    }
    expect.hasAssertions()
  })
})
