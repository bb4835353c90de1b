import { needs } from '@x/test-kit/needs'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { openPostgres } from '@x/store-kysely/postgres'
import { afterEach, describe } from 'vitest'
import { fileDatabase, postgresDatabase, type TestDatabase } from './databases.ts'
import { testRootSearch } from './root-search.ts'

const databases: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const database of databases.splice(0).toReversed()) await database.close()
})

describe('SQL', () => {
  testRootSearch('SQLite', async () => {
    let asked = 0
    const database = await fileDatabase({ log: () => void (asked += 1) })
    databases.push(database)
    await migrateScim(database.db)
    return { store: createScimStore(database.db), asked: () => asked }
  })

  describe('of a server', needs('postgres'), () => {
    testRootSearch('PostgreSQL', async () => {
      let asked = 0
      const database: TestDatabase = await postgresDatabase()
      const db = openPostgres<unknown>(database.address, { log: () => void (asked += 1) })
      databases.push(database, { close: () => db.destroy() })
      await migrateScim(db)
      return { store: createScimStore(db), asked: () => asked }
    })
  })
})
