import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { idList } from '../query/id-list.ts'
import type { Mapping } from './columns.ts'

/** Bytes and rows that are read at once; a larger row is read alone. */
const BYTES = 1024 * 1024
const ROWS = 500

/** Place of a row and bytes of its large columns. */
export interface RowKey {
  readonly seq: number
  readonly size: number
}

/** The table of the rows, and the columns that are read: those of the mapping unless others are given. */
export interface RowSource<Value, Row> {
  readonly table: string
  readonly mapping: Mapping<Value, Row>
  readonly columns?: readonly RawBuilder<unknown>[]
}

/**
 * Rows in the order of their keys, in parts of a bounded size, each read when it is asked for. Rows that were
 * removed meanwhile are left out.
 */
export async function* rowParts<Value, Row, Tables>(
  db: Kysely<Tables>,
  { table, mapping, columns = mapping.columns.map((name) => sql.ref(name)) }: RowSource<Value, Row>,
  keys: Iterable<RowKey>,
): AsyncGenerator<readonly Value[]> {
  const list = sql.join(columns)
  const read = async (places: readonly number[]): Promise<Value[]> => {
    const wanted = idList(db, places.map(String))
    const { rows } = await sql<Row & { readonly seq: number }>`select seq, ${list}
      from ${sql.table(table)} where seq in (select cast(ids.id as bigint) from ${wanted})`.execute(
      db,
    )
    const bySeq = new Map(rows.map((row) => [row.seq, row]))
    return places.flatMap((seq) => {
      const row = bySeq.get(seq)
      return row === undefined ? [] : [mapping.fromRow(row)]
    })
  }
  for (const places of groups(keys)) {
    yield await read(places)
    await nextTurn()
  }
}

function* groups(keys: Iterable<RowKey>): Generator<number[]> {
  let group: number[] = []
  let bytes = 0
  for (const { seq, size } of keys) {
    if (group.length === ROWS || (group.length > 0 && bytes + size > BYTES)) {
      yield group
      group = []
      bytes = 0
    }
    group.push(seq)
    bytes += size
  }
  if (group.length > 0) yield group
}
