import { createHash } from 'node:crypto'
import { sql, type Kysely, type Transaction } from 'kysely'
import { engineOf, type DialectKind } from './dialect.ts'

/** One step of a schema. Once released it is never changed: its checksum would no longer agree. */
export interface Migration {
  /** Orders the steps, `0001-initial`. */
  readonly id: string
  /** The statements, one each. */
  statements(dialect: DialectKind): readonly string[]
}

/** The steps of one schema, in order. Several schemas may live in one database. */
export interface Schema {
  readonly name: 'scim' | 'flow'
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

/**
 * Brings a schema up to date; does nothing when it is. Each step is one transaction, so a failure
 * leaves the steps before it. Two processes that start at once wait for each other.
 *
 * @throws MigrationError `changed` when an applied step has other statements than this version's,
 *   `unknown` when the database has a step that this version does not know (it is newer)
 */
export async function migrate<Tables>(db: Kysely<Tables>, schema: Schema): Promise<void> {
  const { kind } = engineOf(db)
  for (const migration of schema.migrations) {
    await db.transaction().execute(async (tx) => {
      await lockBook(tx, kind)
      const applied = await readBook(tx, schema)
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
  const applied = (await hasBook(db)) ? await readBook(db, schema) : new Map<string, string>()
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

async function lockBook<Tables>(tx: Transaction<Tables>, kind: DialectKind): Promise<void> {
  // A SQLite transaction holds the whole database from its start.
  if (kind === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx)
  await sql`create table if not exists x_migration (
    schema_name text not null, id text not null, checksum text not null, applied_at text not null,
    primary key (schema_name, id))`.execute(tx)
}

async function hasBook<Tables>(db: Kysely<Tables>): Promise<boolean> {
  const found =
    engineOf(db).kind === 'sqlite'
      ? await sql`select 1 from sqlite_master where type = 'table' and name = 'x_migration'`.execute(
          db,
        )
      : await sql`select 1 where to_regclass('x_migration') is not null`.execute(db)
  return found.rows.length > 0
}

async function readBook<Tables>(db: Kysely<Tables>, schema: Schema): Promise<Map<string, string>> {
  const { kind } = engineOf(db)
  const { rows } = await sql<{ id: string; checksum: string }>`
    select id, checksum from x_migration where schema_name = ${schema.name} order by id`.execute(db)
  const known = new Map(schema.migrations.map((migration) => [migration.id, migration]))
  for (const { id, checksum } of rows) {
    const migration = known.get(id)
    if (migration === undefined) {
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

function checksumOf(migration: Migration, kind: DialectKind): string {
  return createHash('sha256').update(migration.statements(kind).join(';\n')).digest('hex')
}
