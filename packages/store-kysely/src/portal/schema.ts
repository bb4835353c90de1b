import type { Kysely } from 'kysely'
import { migrate, type MigrateOptions, type Schema } from '../schema/migrate.ts'
import { portalRoles, portalTables } from '../schema/migrations/portal.ts'

const PORTAL_SCHEMA: Schema = { name: 'portal', migrations: [portalTables, portalRoles] }

/**
 * Creates or updates the tables of `createPortalStore`; does nothing if they are up to date.
 * @throws MigrationError if the database was migrated by an incompatible version
 */
export function migratePortal<Tables>(db: Kysely<Tables>, options?: MigrateOptions): Promise<void> {
  return migrate(db, PORTAL_SCHEMA, options)
}
