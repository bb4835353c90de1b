import { sql, type Kysely } from 'kysely'
import { chunks } from '../query/chunks.ts'
import { engineOf } from '../engine/engine.ts'
import { lockMigrations } from '../schema/migrate.ts'
import type { FlowDb } from './context.ts'
import { numbersOf } from './vector-bytes.ts'

/** Maximum dimension of a pgvector `vector`. */
const MAX_NUMBERS = 16_000
/** Rows older than the embedding column that are converted per search. */
const CONVERTED_PER_SEARCH = 1000
const FILLED_AT_ONCE = 100

/**
 * Adds a pgvector column to the vector table if the extension is installed and the role owns the table.
 * Installing the extension is left to the operator, because a dump that uses it can only be restored where
 * it is installed.
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

const searchableByPool = new WeakMap<object, Promise<boolean>>()

/** True if the database can search vectors; determined once per pool. */
export function hasEmbeddings(db: FlowDb): Promise<boolean> {
  const engine = engineOf(db)
  if (engine.kind !== 'postgres') return Promise.resolve(false)
  const asked = searchableByPool.get(engine.postgres)
  if (asked !== undefined) return asked
  const answer = sql`select 1 from pg_attribute
    where attrelid = to_regclass('flow_vector') and attname = 'embedding'
      and atttypid = to_regtype('vector') and not attisdropped`
    .execute(db)
    .then(({ rows }) => rows.length > 0)
  searchableByPool.set(engine.postgres, answer)
  answer.catch(() => searchableByPool.delete(engine.postgres))
  return answer
}

/** Formats a vector for pgvector; null if it is not supported. */
export function embeddingOf(vector: Float32Array): string | null {
  const fits = vector.length <= MAX_NUMBERS && vector.every(Number.isFinite)
  return fits ? `[${vector.join(',')}]` : null
}

/**
 * Positions of the rows nearest to a vector, nearest first; null if some row of the collection has no
 * embedding yet. Each search converts some of those rows.
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

/** Converts rows without an embedding; returns true when none are left. */
async function fill(db: FlowDb, id: string): Promise<boolean> {
  const { rows } = await sql<{ seq: number; vector: Uint8Array }>`select seq, vector
    from flow_vector where collection_id = ${id} and embedding is null
    order by seq limit ${CONVERTED_PER_SEARCH}`.execute(db)
  const found = rows.flatMap(({ seq, vector }) => {
    const embedding = embeddingOf(numbersOf(vector))
    return embedding === null ? [] : [sql`(${seq}::bigint, ${embedding})`]
  })
  for (const part of chunks(found, FILLED_AT_ONCE)) {
    await sql`update flow_vector v set embedding = e.embedding::vector
      from (values ${sql.join(part)}) as e (seq, embedding) where v.seq = e.seq`.execute(db)
  }
  return rows.length === found.length && rows.length < CONVERTED_PER_SEARCH
}
