import type { Kysely } from 'kysely'
import { migrate, type Schema } from '../schema/migrate.ts'
import { rateBuckets } from '../schema/migrations/rate.ts'

const RATE_SCHEMA: Schema = { name: 'rate', migrations: [rateBuckets] }

/**
 * Creates or updates the table of `createRateLimitStore`; does nothing if it is up to date.
 * @throws MigrationError if the database was migrated by an incompatible version
 */
export function migrateRateLimits<Tables>(db: Kysely<Tables>): Promise<void> {
  return migrate(db, RATE_SCHEMA)
}
