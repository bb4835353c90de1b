import type { FlowStorage } from '@x/flow-service'
import type { BlobStore } from '@x/flow-service/store'
import type { Kysely } from 'kysely'
import { createAuditStore } from './flow/audit.ts'
import { flowMigrationPlan, migrateFlow } from './flow/schema.ts'
import { createFlowStore } from './flow/store.ts'
import { createJobStore } from './jobs/store.ts'
import type { PostgresOptions } from './postgres.ts'
import { migrateRateLimits } from './rate/schema.ts'
import { createRateLimitStore } from './rate/store.ts'
import { MigrationError } from './schema/migrate.ts'
import type { FlowTables } from './schema/tables/flow.ts'
import type { SqliteOptions } from './sqlite.ts'

/** What storage in a database needs besides its address. */
export interface StorageOptions {
  /** Folder of uploaded files, which all processes share, or a store of your own. */
  readonly files: string | BlobStore
  /**
   * Creates and updates the tables on opening. Default true; with false, tables of another version are refused.
   */
  readonly migrate?: boolean
}

/** All stores of a flow service in one database; the option `storage` of `createFlowService`. */
export interface SqlStorage extends Required<Omit<FlowStorage, 'vectors'>> {
  /** For further stores in the same database, such as `createScimStore(storage.db)`. */
  readonly db: Kysely<FlowTables>
  /** Creates or updates the tables. @throws MigrationError */
  migrate(): Promise<void>
  /** Closes the database, after the service is closed. */
  close(): Promise<void>
}

/**
 * Opens a SQLite file for a flow service, and creates or updates its tables.
 * @param path of the database, such as `service.db`
 * @throws MigrationError if the tables are of an incompatible version; DatabaseError
 */
export async function sqliteStorage(
  path: string,
  { files, migrate, ...options }: StorageOptions & SqliteOptions,
): Promise<SqlStorage> {
  const { openSqlite } = await import('./sqlite.ts')
  return await opened(openSqlite<FlowTables>(path, options), { files, migrate })
}

/**
 * Opens a PostgreSQL database for a flow service, and creates or updates its tables.
 * @param url `postgres://...`
 * @throws MigrationError if the tables are of an incompatible version; DatabaseError; TypeError for another URL
 */
export async function postgresStorage(
  url: string,
  { files, migrate, ...options }: StorageOptions & PostgresOptions,
): Promise<SqlStorage> {
  const { openPostgres } = await import('./postgres.ts')
  return await opened(openPostgres<FlowTables>(url, options), { files, migrate })
}

async function opened(
  db: Kysely<FlowTables>,
  {
    files,
    migrate: isMigrating = true,
  }: { files: string | BlobStore; migrate?: boolean | undefined },
): Promise<SqlStorage> {
  const migrate = async (): Promise<void> => {
    await migrateFlow(db)
    await migrateRateLimits(db)
  }
  try {
    if (isMigrating) await migrate()
    else if ((await flowMigrationPlan(db)).length > 0)
      throw new MigrationError('unknown', 'The tables are not up to date: call migrate() first')
    const { createDiskBlobStore, createScryptHasher } = await import('@x/flow-service/node')
    return {
      flows: createFlowStore(db),
      jobs: createJobStore(db),
      files: typeof files === 'string' ? createDiskBlobStore(files) : files,
      quotas: createRateLimitStore(db),
      audit: createAuditStore(db),
      passwords: createScryptHasher(),
      db,
      migrate,
      close: () => db.destroy(),
    }
  } catch (error) {
    await db.destroy()
    throw error
  }
}
