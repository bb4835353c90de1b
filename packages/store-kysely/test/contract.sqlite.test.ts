import { defineContracts } from './contract.ts'
import { fileDatabase } from './databases.ts'

defineContracts('SQLite file', fileDatabase)
