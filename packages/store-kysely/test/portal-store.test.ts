import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest'
import { definePortalStoreContract } from '@x/directory-portal/testing'
import { createPortalStore, migratePortal } from '@x/store-kysely/portal'
import { migrateScim } from '@x/store-kysely/scim'
import { emptyTables, fileDatabase, postgresDatabase, postgresUrl } from './databases.ts'
import type { TestDatabase } from './databases.ts'

const databases: readonly (readonly [name: string, open: () => Promise<TestDatabase>])[] = [
  ['SQLite', fileDatabase],
  ...(postgresUrl === null ? [] : ([['PostgreSQL', postgresDatabase]] as const)),
]

for (const [name, open] of databases)
  describe(`portal on ${name}`, () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await open()
      await migratePortal(database.db)
      await migrateScim(database.db)
    })
    afterAll(() => database.close())
    definePortalStoreContract(
      { describe, it, beforeEach, afterEach },
      {
        name,
        async create() {
          await emptyTables(database.db)
          return createPortalStore(database.db)
        },
      },
    )
  })
