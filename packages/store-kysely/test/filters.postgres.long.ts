import { describe } from 'vitest'
import { postgresDatabase, postgresUrl } from './databases.ts'
import { defineFilters } from './filters.ts'

describe.skipIf(postgresUrl === null)('on a real server', () => {
  defineFilters('PostgreSQL', postgresDatabase)
})
