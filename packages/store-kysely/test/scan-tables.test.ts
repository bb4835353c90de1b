import { defineScimStoreContract } from '@x/scim-core/testing'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest'
import { fileDatabase, type TestDatabase } from './databases.ts'
import { HOST_TABLES, scanTables } from './scan-tables.ts'

describe('SH-4 a scan store over three tables of a host in SQLite', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await fileDatabase()
    for (const table of HOST_TABLES) await sql.raw(table).execute(database.db)
  })
  afterAll(() => database.close())

  defineScimStoreContract(
    { describe, it, beforeEach, afterEach },
    {
      name: 'tables of a host',
      async create() {
        for (const table of ['team_member', 'team', 'account']) {
          await sql`delete from ${sql.table(table)}`.execute(database.db)
        }
        return scanTables(database.db)
      },
    },
  )
})
