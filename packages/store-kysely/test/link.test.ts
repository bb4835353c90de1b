import { needs } from '@x/test-kit/needs'
import { describe } from 'vitest'
import { memoryDatabase, postgresDatabase } from './databases.ts'
import { defineLink } from './link.ts'

defineLink('SQLite', memoryDatabase)

describe('on a real server', needs('postgres'), () => {
  defineLink('PostgreSQL', postgresDatabase)
})
