import type { CollectionRow, CollectionSize, CollectionStore } from '@x/flow-service/store'
import { sql, type RawBuilder } from 'kysely'
import { chunks } from '../query/chunks.ts'
import { deleteAll } from '../query/delete-all.ts'
import { decodeText, encodeText } from '../records/columns.ts'
import { atomic } from '../engine/transaction.ts'
import { rowsOf, type FlowDb } from './context.ts'
import { embeddingOf, hasEmbeddings, nearestPositions } from './embeddings.ts'
import { collectionMapping } from './mappings.ts'
import { bytesOf, numbersOf } from './vector-bytes.ts'

/** Rows per insert statement; their vectors are a few MB at most. */
const INSERTED_AT_ONCE = 100

/** Collections of vectors in SQL. */
export function createCollections(db: FlowDb): CollectionStore {
  const records = rowsOf(db, 'flow_collection', collectionMapping)
  return {
    get: (userId, kind, name) => records.first({ userId, kind, name }),
    async list(userId, kind) {
      const where = records.where({ userId, kind })
      return records.select(sql`where ${where} order by name, seq`)
    },
    insert: (record) => records.insert([{ ...record, ...EMPTY }]),
    remove: (userId, kind, name) =>
      atomic(db, async (tx) => {
        const own = rowsOf(tx, 'flow_collection', collectionMapping)
        const found = await own.first({ userId, kind, name })
        if (found === null) return false
        await sql`delete from flow_vector where collection_id = ${found.id}`.execute(tx)
        return (await own.remove({ id: found.id })) > 0
      }),
    removeOfUser: (userId) =>
      atomic(db, (tx: FlowDb) => deleteAll(tx, collectionDeletions(userId))),
    add: async (id, added, limit, expected) => {
      const embedded = await hasEmbeddings(db)
      return atomic(db, async (tx) => {
        const { rows, words, characters, bytes, dimension } = added
        const unchanged = expected === undefined ? sql`` : sql`and rows = ${expected}`
        const { numAffectedRows = 0n } = await sql`update flow_collection set
          rows = rows + ${rows.length}, words = words + ${words},
          characters = characters + ${characters}, bytes = bytes + ${bytes},
          dimension = ${dimension}
          where id = ${id} and rows + ${rows.length} <= ${limit}
            and (rows = 0 or dimension = ${dimension}) ${unchanged}`.execute(tx)
        if (numAffectedRows === 0n) {
          const found = await rowsOf(tx, 'flow_collection', collectionMapping).first({ id })
          if (found === null) return 'gone'
          if (expected !== undefined && found.rows !== expected) return 'changed'
          return found.rows > 0 && found.dimension !== dimension ? 'dimension' : 'full'
        }
        for (const part of chunks(rows, INSERTED_AT_ONCE)) {
          await insertRows(tx, part, { id, embedded })
        }
        return 'added'
      })
    },
    async texts(id, { after, limit }) {
      const { rows } = await sql<Omit<VectorRow, 'vector'>>`select seq, id, text, metadata
        from flow_vector where collection_id = ${id} and seq > ${after}
        order by seq limit ${limit}`.execute(db)
      return rows.map(textOf)
    },
    async vectors(id, { after, limit, metadata }) {
      const beside = metadata ? sql`metadata` : sql`null as metadata`
      const { rows } = await sql<Pick<VectorRow, 'seq' | 'vector'> & { metadata: string | null }>`
        select seq, vector, ${beside} from flow_vector
        where collection_id = ${id} and seq > ${after} order by seq limit ${limit}`.execute(db)
      return rows.map((row) => ({
        position: row.seq,
        vector: numbersOf(row.vector),
        metadata: row.metadata === null ? null : decodeText(row.metadata),
      }))
    },
    async rows(id, positions) {
      const found: ReturnType<typeof rowOf>[] = []
      for (const part of chunks(positions)) {
        const { rows } = await sql<VectorRow>`select seq, vector, id, text, metadata
          from flow_vector where collection_id = ${id} and seq in (${sql.join(part)})`.execute(db)
        for (const row of rows) found.push(rowOf(row))
      }
      return found
    },
    nearest: (id, wanted) => nearestPositions(db, id, wanted),
  }
}

/** Deletions of the collections of a user with their rows. */
export function collectionDeletions(userId: string): RawBuilder<unknown>[] {
  return [
    sql`delete from flow_vector where collection_id in
      (select id from flow_collection where user_id = ${userId})`,
    sql`delete from flow_collection where user_id = ${userId}`,
  ]
}

const EMPTY: CollectionSize = { rows: 0, words: 0, characters: 0, bytes: 0, dimension: 0 }

interface VectorRow {
  readonly seq: number
  readonly id: string
  readonly text: string
  readonly metadata: string
  readonly vector: Uint8Array
}

async function insertRows(
  tx: FlowDb,
  rows: readonly CollectionRow[],
  { id, embedded }: { readonly id: string; readonly embedded: boolean },
): Promise<void> {
  const tuples = rows.map((row) => {
    const embedding = embedded ? sql`, ${embeddingOf(row.vector)}::vector` : sql``
    return sql`(${id}, ${bytesOf(row.vector)}, ${row.id}, ${encodeText(row.text)},
      ${encodeText(row.metadata)}${embedding})`
  })
  const column = embedded ? sql`, embedding` : sql``
  await sql`insert into flow_vector (collection_id, vector, id, text, metadata${column})
    values ${sql.join(tuples)}`.execute(tx)
}

function textOf({ seq, id, text, metadata }: Omit<VectorRow, 'vector'>) {
  return { position: seq, id, text: decodeText(text), metadata: decodeText(metadata) }
}

function rowOf(row: VectorRow) {
  return { ...textOf(row), vector: numbersOf(row.vector) }
}
