import { needs } from '@x/test-kit/needs'
import { describe } from 'vitest'
import { postgresDatabase } from './databases.ts'
import { defineFilters } from './filters.ts'

describe('on a real server', needs('postgres'), () => {
  defineFilters('PostgreSQL', postgresDatabase)
})
