import { sql, type Kysely } from 'kysely'
import { DatabaseError } from '../engine/database-error.ts'
import { engineOf } from '../engine/engine.ts'

/**
 * Copies a consistent snapshot of a SQLite database to a new file while it is in use (`VACUUM INTO`, which
 * every driver supports). The copy is compact and complete. The process is blocked while SQLite writes
 * it, about a second for 500 MiB. Use `pg_dump` or `pg_basebackup` for PostgreSQL.
 * @throws TypeError for PostgreSQL
 * @throws DatabaseError if the file exists or cannot be written
 */
export async function backupSqlite<Tables>(db: Kysely<Tables>, path: string): Promise<void> {
  const engine = engineOf(db)
  if (engine.kind !== 'sqlite')
    throw new TypeError('This command copies SQLite only. For PostgreSQL use pg_dump.')
  await sql`vacuum into ${path}`.execute(db)
}

/**
 * Refreshes the query planner's statistics; cheap enough for daily use and after large imports: `PRAGMA
 * optimize` on SQLite, `ANALYZE` of our tables on PostgreSQL.
 */
export async function optimizeDatabase<Tables>(db: Kysely<Tables>): Promise<void> {
  if (engineOf(db).kind === 'sqlite') {
    await sql`pragma analysis_limit = 1000`.execute(db)
    await sql`pragma optimize = 0x10002`.execute(db)
    return
  }
  for (const table of await ownTables(db)) await sql`analyze ${sql.table(table)}`.execute(db)
}

/**
 * Returns unused space to the file system with `VACUUM`, which needs the same space again and blocks
 * writers while it runs.
 */
export async function compactDatabase<Tables>(db: Kysely<Tables>): Promise<void> {
  if (engineOf(db).kind === 'sqlite') {
    await sql`vacuum`.execute(db)
    await sql`pragma wal_checkpoint(truncate)`.execute(db)
    return
  }
  for (const table of await ownTables(db)) await sql`vacuum ${sql.table(table)}`.execute(db)
}

/**
 * Checks the integrity of the whole database; returns the problems found. SQLite only: PostgreSQL verifies
 * pages as it reads them.
 */
export async function checkSqlite<Tables>(db: Kysely<Tables>): Promise<string[]> {
  if (engineOf(db).kind !== 'sqlite')
    throw new DatabaseError('other', 'This check supports SQLite only')
  const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db)
  return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok')
}

async function ownTables<Tables>(db: Kysely<Tables>): Promise<string[]> {
  const tables = await db.introspection.getTables()
  return tables.map(({ name }) => name).filter((name) => /^(?:scim|flow)_/.test(name))
}

/** The result of a retention run. */
export interface RetentionResult {
  readonly tombstones: number
}

/**
 * Removes the records of SCIM users deleted in tombstone mode before this time. The flow engine itself
 * removes finished jobs, and vertex builds and transactions over their limits; data of public builds is
 * removed by `trimPublic` of `store.messages`, `store.vertexBuilds` and `store.transactions`.
 */
export async function removeTombstones<Tables>(
  db: Kysely<Tables>,
  before: Date,
): Promise<RetentionResult> {
  const { numAffectedRows = 0n } = await sql`
    delete from scim_user where deleted_at < ${before.getTime()}`.execute(db)
  return { tombstones: Number(numAffectedRows) }
}
