export { DatabaseError, type DatabaseErrorKind } from './database-error.ts'
export { MigrationError, type MigrationState } from './migrate.ts'
