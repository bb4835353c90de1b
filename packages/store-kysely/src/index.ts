export { DatabaseError, type DatabaseErrorKind } from './database-error.ts'
export {
  backupSqlite,
  checkSqlite,
  compactDatabase,
  optimizeDatabase,
  removeTombstones,
  type RetentionResult,
} from './maintenance.ts'
export { MigrationError, type MigrationState } from './migrate.ts'
