import type { Kysely } from 'kysely'
import {
  migrate,
  migrationPlan,
  migrationStatus,
  type MigrationState,
  type Schema,
} from '../migrate.ts'
import { initial } from '../migrations/scim/0001-initial.ts'

const SCIM_SCHEMA: Schema = { name: 'scim', migrations: [initial] }

/**
 * Makes or updates the tables of the SCIM store; does nothing when they are up to date. Processes
 * that start at once wait for each other.
 * @throws MigrationError when the database was migrated by another version
 */
export function migrateScim<Tables>(db: Kysely<Tables>): Promise<void> {
  return migrate(db, SCIM_SCHEMA)
}

/** The steps of the SCIM schema, and which of them the database has. */
export function scimMigrationStatus<Tables>(db: Kysely<Tables>): Promise<MigrationState[]> {
  return migrationStatus(db, SCIM_SCHEMA)
}

/** The statements that `migrateScim` would run. */
export function scimMigrationPlan<Tables>(db: Kysely<Tables>): Promise<string[]> {
  return migrationPlan(db, SCIM_SCHEMA)
}
