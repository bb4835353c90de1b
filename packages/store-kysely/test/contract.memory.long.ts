import { defineContracts } from './contract.ts'
import { memoryDatabase } from './databases.ts'

defineContracts('SQLite in memory', memoryDatabase)
