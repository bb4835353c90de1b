import { memoryDatabase } from './databases.ts'
import { defineFilters } from './filters.ts'

defineFilters('SQLite', memoryDatabase)
