import { sql, type Kysely } from 'kysely'
import { chunks } from '../query/chunks.ts'
import { engineOf } from '../engine/engine.ts'
import { lockMigrations } from '../schema/migrate.ts'
import type { FlowDb } from './context.ts'
import { numbersOf } from './vector-bytes.ts'

/** The most numbers that a `vector` of pgvector has. */
const MOST_NUMBERS = 16_000
/** Rows older than the column that one search converts. */
const FILLED_BY_A_SEARCH = 1000
const FILLED_AT_ONCE = 100

/**
 * Gives the table of vectors a column of pgvector's type, when the database has the extension and
 * the role owns the table. The extension itself is the operator's to install: a database that uses
 * it is restored only where it is installed too.
 */
export async function addEmbeddings<Tables>(db: Kysely<Tables>): Promise<void> {
  if (engineOf(db).kind !== 'postgres' || !(await isMissing(db))) return
  await db.transaction().execute(async (tx) => {
    await lockMigrations(tx)
    await sql`alter table flow_vector add column if not exists embedding vector`.execute(tx)
    await sql`create index if not exists flow_vector__embedding on flow_vector (collection_id, seq)
      where embedding is null`.execute(tx)
  })
}

async function isMissing<Tables>(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_class t
    where t.oid = to_regclass('flow_vector') and pg_has_role(t.relowner, 'usage')
      and exists (select from pg_extension where extname = 'vector')
      and to_regtype('vector') is not null
      and not exists (select from pg_attribute a
        where a.attrelid = t.oid and a.attname = 'embedding' and not a.attisdropped)`.execute(db)
  return rows.length > 0
}

const known = new WeakMap<object, Promise<boolean>>()

/** True if the database searches vectors itself; determined once per pool. */
export function hasEmbeddings(db: FlowDb): Promise<boolean> {
  const engine = engineOf(db)
  if (engine.kind !== 'postgres') return Promise.resolve(false)
  const asked = known.get(engine.postgres)
  if (asked !== undefined) return asked
  const answer = sql`select 1 from pg_attribute
    where attrelid = to_regclass('flow_vector') and attname = 'embedding'
      and atttypid = to_regtype('vector') and not attisdropped`
    .execute(db)
    .then(({ rows }) => rows.length > 0)
  known.set(engine.postgres, answer)
  answer.catch(() => known.delete(engine.postgres))
  return answer
}

/** A vector in the notation of pgvector; null for one that it does not take. */
export function embeddingOf(vector: Float32Array): string | null {
  const fits = vector.length <= MOST_NUMBERS && vector.every(Number.isFinite)
  return fits ? `[${vector.join(',')}]` : null
}

/**
 * Positions of the rows nearest to a vector, nearest first; null where some row of the collection
 * has no embedding yet. Each search converts some of those.
 */
export async function nearestPositions(
  db: FlowDb,
  id: string,
  { vector, count }: { readonly vector: Float32Array; readonly count: number },
): Promise<number[] | null> {
  const wanted = embeddingOf(vector)
  if (wanted === null || !(await hasEmbeddings(db)) || !(await fill(db, id))) return null
  const { rows } = await sql<{ seq: number }>`select seq from flow_vector
    where collection_id = ${id} order by embedding <-> ${wanted}::vector, seq
    limit ${count}`.execute(db)
  return rows.map(({ seq }) => seq)
}

/** Converts rows without an embedding; true when none is left. */
async function fill(db: FlowDb, id: string): Promise<boolean> {
  const { rows } = await sql<{ seq: number; vector: Uint8Array }>`select seq, vector
    from flow_vector where collection_id = ${id} and embedding is null
    order by seq limit ${FILLED_BY_A_SEARCH}`.execute(db)
  const found = rows.flatMap(({ seq, vector }) => {
    const embedding = embeddingOf(numbersOf(vector))
    return embedding === null ? [] : [sql`(${seq}::bigint, ${embedding})`]
  })
  for (const part of chunks(found, FILLED_AT_ONCE)) {
    await sql`update flow_vector v set embedding = e.embedding::vector
      from (values ${sql.join(part)}) as e (seq, embedding) where v.seq = e.seq`.execute(db)
  }
  return rows.length === found.length && rows.length < FILLED_BY_A_SEARCH
}
