export { DatabaseError, type DatabaseErrorKind } from './engine/database-error.ts'
export { isSchemaError, type SchemaError } from './engine/schema-error.ts'
export {
  backupSqlite,
  checkSqlite,
  compactDatabase,
  optimizeDatabase,
  removeTombstones,
  type RetentionResult,
} from './schema/maintenance.ts'
export { MigrationError, type MigrationState } from './schema/migrate.ts'
