import type { Kysely } from 'kysely'
import {
  migrate,
  migrationPlan,
  migrationStatus,
  type MigrateOptions,
  type MigrationState,
  type Schema,
} from '../schema/migrate.ts'
import { initial } from '../schema/migrations/scim/0001-initial.ts'
import { elementsByTenant } from '../schema/migrations/scim/0002-elements-by-tenant.ts'
import { hosts } from '../schema/migrations/scim/0003-hosts.ts'
import { eventOrder } from '../schema/migrations/scim/0004-event-order.ts'
import { eventAge } from '../schema/migrations/scim/0005-event-age.ts'
import { eventSets } from '../schema/migrations/scim/0006-event-sets.ts'
import { groupNames } from '../schema/migrations/scim/0007-group-names.ts'
import { clientSecrets } from '../schema/migrations/scim/0008-client-secrets.ts'
import { activity } from '../schema/migrations/scim/0009-activity.ts'
import { inactiveUsers } from '../schema/migrations/scim/0010-inactive-users.ts'

const SCIM_SCHEMA: Schema = {
  name: 'scim',
  migrations: [
    initial,
    elementsByTenant,
    hosts,
    eventOrder,
    eventAge,
    eventSets,
    groupNames,
    clientSecrets,
    activity,
    inactiveUsers,
  ],
}

/**
 * Creates or updates the tables of the SCIM store; if they are up to date, no DDL privileges are needed.
 * Concurrent processes wait for each other. A process also starts on tables of a newer version if these were
 * only expanded.
 * @throws MigrationError if the database was migrated by an incompatible version
 */
export function migrateScim<Tables>(db: Kysely<Tables>, options?: MigrateOptions): Promise<void> {
  return migrate(db, SCIM_SCHEMA, options)
}

/** The migrations of the SCIM schema, and which of them are applied. */
export function scimMigrationStatus<Tables>(db: Kysely<Tables>): Promise<MigrationState[]> {
  return migrationStatus(db, SCIM_SCHEMA)
}

/** The statements `migrateScim` would run. */
export function scimMigrationPlan<Tables>(db: Kysely<Tables>): Promise<string[]> {
  return migrationPlan(db, SCIM_SCHEMA)
}
