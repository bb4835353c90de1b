import { describe } from 'vitest'
import { memoryDatabase, postgresDatabase, postgresUrl } from './databases.ts'
import { defineLink } from './link.ts'

defineLink('SQLite', memoryDatabase)

describe.skipIf(postgresUrl === null)('on a real server', () => {
  defineLink('PostgreSQL', postgresDatabase)
})
