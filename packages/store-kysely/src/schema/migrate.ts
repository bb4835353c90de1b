import { createHash } from 'node:crypto'
import { sql, type Kysely, type Transaction } from 'kysely'
import { engineOf, type DialectKind } from '../engine/engine.ts'
import { WITHOUT_TIME_LIMIT } from '../engine/postgres/without-time-limit.ts'

/** One migration. It must not change once released, because its checksum is verified. */
export interface Migration {
  /** Orders the migrations: `0001-initial`. */
  readonly id: string
  /**
   * True if older versions of this package can also work with the resulting schema, so that their processes
   * may keep running while newer ones start.
   */
  readonly isExpansion?: boolean
  /** The statements, one per string. */
  readonly statements: (dialect: DialectKind) => readonly string[]
}

/** The migrations of a schema, in order. A database may contain several schemas. */
export interface Schema {
  readonly name: 'scim' | 'flow' | 'rate' | 'portal'
  readonly migrations: readonly Migration[]
}

/** A migration and whether it is applied. */
export interface MigrationState {
  readonly id: string
  readonly applied: boolean
}

/** The database was migrated by an incompatible version of this package; nothing was changed. */
export class MigrationError extends Error {
  readonly code: 'changed' | 'unknown'

  constructor(code: 'changed' | 'unknown', message: string) {
    super(message)
    this.name = 'MigrationError'
    this.code = code
  }
}

/** Options of a migration. */
export interface MigrateOptions {
  /** Called for a newer migration that this version can work with. Default: `console.warn`. */
  readonly onNewer?: (message: string) => void
}

/**
 * Migrates a schema to the latest version. If it is up to date, nothing is written and no DDL privileges are
 * needed. Each migration is one transaction, so a failure keeps the earlier ones. Concurrent processes wait
 * for each other.
 * @throws MigrationError `changed` if an applied migration has other statements than in this version,
 * `unknown` if a newer migration is applied that this version cannot work with
 */
export async function migrate<Tables>(
  db: Kysely<Tables>,
  schema: Schema,
  { onNewer = warn }: MigrateOptions = {},
): Promise<void> {
  const { kind } = engineOf(db)
  if (await hasMigrationTable(db)) {
    const applied = await readApplied(db, schema)
    const known = new Set(schema.migrations.map(({ id }) => id))
    for (const id of applied.keys()) {
      if (known.has(id)) continue
      onNewer(
        `The database has the ${schema.name} migration ${id} of a newer version; it is compatible`,
      )
    }
    if (schema.migrations.every(({ id }) => applied.has(id))) return
  }
  for (const migration of schema.migrations) {
    await db.transaction().execute(async (tx) => {
      await openMigrationTable(tx, kind)
      const applied = await readApplied(tx, schema)
      if (applied.has(migration.id)) return
      for (const statement of migration.statements(kind)) await sql.raw(statement).execute(tx)
      const checksum = checksumOf(migration, kind)
      await sql`insert into x_migration (schema_name, id, checksum, applied_at)
        values (${schema.name}, ${migration.id}, ${checksum}, current_timestamp)`.execute(tx)
    })
  }
}

/** The migrations of a schema, and which of them are applied. Changes nothing. */
export async function migrationStatus<Tables>(
  db: Kysely<Tables>,
  schema: Schema,
): Promise<MigrationState[]> {
  const applied = (await hasMigrationTable(db))
    ? await readApplied(db, schema)
    : new Map<string, string>()
  return schema.migrations.map(({ id }) => ({ id, applied: applied.has(id) }))
}

/** The statements `migrate` would run, in order. Changes nothing. */
export async function migrationPlan<Tables>(db: Kysely<Tables>, schema: Schema): Promise<string[]> {
  const { kind } = engineOf(db)
  const states = await migrationStatus(db, schema)
  const missing = new Set(states.filter(({ applied }) => !applied).map(({ id }) => id))
  return schema.migrations
    .filter(({ id }) => missing.has(id))
    .flatMap((migration) => [...migration.statements(kind)])
}

/** An arbitrary number that other programs are unlikely to lock. */
const LOCK = 7_020_319_054

/** On PostgreSQL: blocks other migrations until the transaction ends. */
export async function lockMigrations<Tables>(tx: Transaction<Tables>): Promise<void> {
  for (const statement of WITHOUT_TIME_LIMIT) await sql.raw(statement).execute(tx)
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx)
}

async function openMigrationTable<Tables>(
  tx: Transaction<Tables>,
  kind: DialectKind,
): Promise<void> {
  // A SQLite transaction locks the whole database from its start.
  if (kind === 'postgres') await lockMigrations(tx)
  await sql`create table if not exists x_migration (
    schema_name text not null, id text not null, checksum text not null, applied_at text not null,
    primary key (schema_name, id))`.execute(tx)
}

async function hasMigrationTable<Tables>(db: Kysely<Tables>): Promise<boolean> {
  const found =
    engineOf(db).kind === 'sqlite'
      ? await sql`select 1 from sqlite_master where type = 'table' and name = 'x_migration'`.execute(
          db,
        )
      : await sql`select 1 where to_regclass('x_migration') is not null`.execute(db)
  return found.rows.length > 0
}

async function readApplied<Tables>(
  db: Kysely<Tables>,
  schema: Schema,
): Promise<Map<string, string>> {
  const { kind } = engineOf(db)
  const { rows } = await sql<{ id: string; checksum: string }>`
    select id, checksum from x_migration where schema_name = ${schema.name} order by id`.execute(db)
  const known = new Map(schema.migrations.map((migration) => [migration.id, migration]))
  for (const { id, checksum } of rows) {
    const migration = known.get(id)
    if (migration === undefined) {
      if (checksum.startsWith(EXPANSION)) continue
      throw new MigrationError(
        'unknown',
        `The database has the ${schema.name} migration ${id}, which this version does not know`,
      )
    }
    if (checksumOf(migration, kind) !== checksum) {
      throw new MigrationError(
        'changed',
        `The ${schema.name} migration ${id} was applied with other statements`,
      )
    }
  }
  return new Map(rows.map(({ id, checksum }) => [id, checksum]))
}

/** Prefix of the checksum of migrations older versions can work with. */
const EXPANSION = 'expand:'

function checksumOf({ isExpansion, statements }: Migration, kind: DialectKind): string {
  const digest = createHash('sha256').update(statements(kind).join(';\n')).digest('hex')
  return isExpansion === true ? `${EXPANSION}${digest}` : digest
}

function warn(message: string): void {
  // oxlint-disable-next-line no-console -- the host may take it itself by `onNewer`
  console.warn(message)
}
