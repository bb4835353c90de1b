import { Pool, type PoolConfig } from 'pg'
import { openPostgres } from '@x/store-kysely/postgres'
import { describe } from 'vitest'
import { defineContracts } from './contract.ts'
import { postgresDatabase, postgresUrl, type TestDatabase } from './databases.ts'

/** The same database over a pool of the host's own. */
async function hostPoolDatabase(options: PoolConfig): Promise<TestDatabase> {
  const database = await postgresDatabase()
  const { address } = database
  const pool = new Pool({ connectionString: address, ...options })
  // The database is dropped while connections of the ended pool are still being closed.
  pool.on('error', () => undefined)
  return {
    db: openPostgres<unknown>(pool),
    address,
    async close() {
      await pool.end()
      await database.close()
    },
  }
}

/** A host that reads big numbers as bigint and everything else as it came. */
const getTypeParser = (oid: number) => (text: string) => (oid === 20 ? BigInt(text) : text)

describe.skipIf(postgresUrl === null)('on a real server', () => {
  defineContracts('PostgreSQL', postgresDatabase)
  defineContracts('SH-60 a pool of the host', () => hostPoolDatabase({}), 'scim')
  const custom = { types: { getTypeParser } } as PoolConfig
  defineContracts('SH-60 a pool with parsers', () => hostPoolDatabase(custom), 'scim')
})
