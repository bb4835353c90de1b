import { defineContracts } from './contract.ts'
import { fileDatabase, memoryDatabase } from './databases.ts'

defineContracts('SQLite in memory', memoryDatabase)
defineContracts('SQLite file', fileDatabase)
