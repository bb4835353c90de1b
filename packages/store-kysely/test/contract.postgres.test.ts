import { describe } from 'vitest'
import { defineContracts } from './contract.ts'
import { postgresDatabase, postgresUrl } from './databases.ts'

describe.skipIf(postgresUrl === null)('on a real server', () => {
  defineContracts('PostgreSQL', postgresDatabase)
})
