import { createHash } from 'node:crypto'
import { sql, type Kysely, type Transaction } from 'kysely'
import { engineOf, type DialectKind } from '../engine/engine.ts'

/** One step of a schema. Once released it is never changed: its checksum would no longer agree. */
export interface Migration {
  /** Orders the steps, `0001-initial`. */
  readonly id: string
  /**
   * An older version of this package works with the schema behind this step as well, so its processes may
   * run on while newer ones start (SH-75).
   */
  readonly isExpansion?: boolean
  /** The statements, one each. */
  readonly statements: (dialect: DialectKind) => readonly string[]
}

/** The steps of one schema, in order. Several schemas may live in one database. */
export interface Schema {
  readonly name: 'scim' | 'flow' | 'rate'
  readonly migrations: readonly Migration[]
}

/** A step and whether the database has it. */
export interface MigrationState {
  readonly id: string
  readonly applied: boolean
}

/** A database was migrated by another version of this package; nothing was changed. */
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
  /**
   * Called for a migration step of a newer version that this one can work with. Default: writes it to
   * `console.warn`.
   */
  readonly onNewer?: (message: string) => void
}

/**
 * Brings a schema up to date; when it is, nothing is written and no right to create is needed. Each step is one transaction, so a failure
 * leaves the steps before it. Two processes that start at once wait for each other.
 *
 * @throws MigrationError `changed` when an applied step has other statements than this version's,
 *   `unknown` when the database has a step of a newer version that this one cannot work with
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

/** The steps of a schema, and which of them the database has. Changes nothing. */
export async function migrationStatus<Tables>(
  db: Kysely<Tables>,
  schema: Schema,
): Promise<MigrationState[]> {
  const applied = (await hasMigrationTable(db))
    ? await readApplied(db, schema)
    : new Map<string, string>()
  return schema.migrations.map(({ id }) => ({ id, applied: applied.has(id) }))
}

/** The statements that `migrate` would run, in order. Changes nothing. */
export async function migrationPlan<Tables>(db: Kysely<Tables>, schema: Schema): Promise<string[]> {
  const { kind } = engineOf(db)
  const states = await migrationStatus(db, schema)
  const missing = new Set(states.filter(({ applied }) => !applied).map(({ id }) => id))
  return schema.migrations
    .filter(({ id }) => missing.has(id))
    .flatMap((migration) => [...migration.statements(kind)])
}

/** Any number that other programs are unlikely to lock. */
const LOCK = 7_020_319_054

/** On PostgreSQL: locks out other migrations until the transaction ends. */
export async function lockMigrations<Tables>(tx: Transaction<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx)
}

async function openMigrationTable<Tables>(
  tx: Transaction<Tables>,
  kind: DialectKind,
): Promise<void> {
  // A SQLite transaction holds the whole database from its start.
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

/** Marks the checksum of a step that older versions can work with. */
const EXPANSION = 'expand:'

function checksumOf({ isExpansion, statements }: Migration, kind: DialectKind): string {
  const digest = createHash('sha256').update(statements(kind).join(';\n')).digest('hex')
  return isExpansion === true ? `${EXPANSION}${digest}` : digest
}

function warn(message: string): void {
  // oxlint-disable-next-line no-console -- the host may take it itself by `onNewer`
  console.warn(message)
}
