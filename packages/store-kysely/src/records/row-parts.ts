import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql, type Kysely, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import { idList } from '../query/id-list.ts'
import type { Mapping } from './columns.ts'

/** Bytes and rows that are read at once; a larger row is read alone. */
const BYTES = 1024 * 1024
const ROWS = 500
/** Rows whose sizes are read in one statement. */
export const ROWS_PER_SCAN = 5000

/** Place of a row and bytes of its large columns. */
export interface RowKey {
  readonly seq: number
  readonly size: number
}

/** The table of the rows, and the columns that are read: those of the mapping unless others are given. */
export interface RowSource<Value, Row> {
  readonly table: string
  readonly mapping: Pick<Mapping<Value, Row>, 'columns' | 'fromRow'>
  readonly columns?: readonly RawBuilder<unknown>[]
}

/**
 * Rows in the order of their keys, in parts of a bounded size, each read on demand. Rows removed
 * meanwhile are left out.
 */
export async function* rowParts<Value, Row, Tables>(
  db: Kysely<Tables>,
  { table, mapping, columns = mapping.columns.map((name) => sql.ref(name)) }: RowSource<Value, Row>,
  keys: Iterable<RowKey>,
): AsyncGenerator<readonly Value[]> {
  const list = sql.join(columns)
  yield* keyParts(keys, async (group) => {
    const { rows } = await sql<Row & { readonly seq: number }>`select seq, ${list}
      from ${sql.table(table)} where seq in ${placeList(db, group)}`.execute(db)
    return new Map(rows.map((row) => [row.seq, mapping.fromRow(row)]))
  })
}

/** Like `rowParts`, for values that `read` gets by the places of their rows. */
export async function* keyParts<Value>(
  keys: Iterable<RowKey>,
  read: (keys: readonly RowKey[]) => Promise<ReadonlyMap<number, Value>>,
): AsyncGenerator<readonly Value[]> {
  for (const group of keyGroups(keys)) {
    const found = await read(group)
    yield group.flatMap(({ seq }) => {
      const value = found.get(seq)
      return value === undefined ? [] : [value]
    })
    await nextTurn()
  }
}

/** Places of rows as the right side of `in`. */
export function placeList(
  db: QueryExecutorProvider,
  keys: readonly Pick<RowKey, 'seq'>[],
): RawBuilder<unknown> {
  const ids = keys.map(({ seq }) => String(seq))
  return sql`(select cast(ids.id as bigint) from ${idList(db, ids)})`
}

/** Selects the rows that are read in parts. */
export interface PartsQuery {
  /** The large columns, whose bytes bound a part. */
  readonly large: readonly string[]
  /** Conditions, order and slice of the query. */
  readonly rest: RawBuilder<unknown>
}

/** The rows of a query in parts; their keys are read in one statement. */
export async function* queryParts<Value, Row, Tables>(
  db: Kysely<Tables>,
  source: RowSource<Value, Row>,
  { large, rest }: PartsQuery,
): AsyncGenerator<readonly Value[]> {
  const { rows } = await sql<RowKey>`select seq, ${bytesOf(large)} as size
    from ${sql.table(source.table)} ${rest}`.execute(db)
  yield* rowParts(db, source, rows)
}

/**
 * Removes rows in steps of a bounded size, with turns of the event loop between them.
 * @param rows their table, its large columns and the condition
 */
export async function removeInSteps<Tables>(
  db: Kysely<Tables>,
  { table, large, where }: LargeRows,
): Promise<void> {
  for (;;) {
    // Without an order, because sorting would read all rows that are left for each step.
    const { rows } = await sql<RowKey>`select seq, ${bytesOf(large)} as size
      from ${sql.table(table)} where ${where} limit ${ROWS_PER_SCAN}`.execute(db)
    for (const keys of keyGroups(rows)) {
      await sql`delete from ${sql.table(table)}
        where ${where} and seq in ${placeList(db, keys)}`.execute(db)
      await nextTurn()
    }
    if (rows.length < ROWS_PER_SCAN) return
  }
}

/** Rows of a table that meet a condition. */
export interface LargeRows {
  readonly table: string
  /** The large columns, whose bytes bound a step. */
  readonly large: readonly string[]
  readonly where: RawBuilder<unknown>
}

/** Bytes of columns. */
export function bytesOf(columns: readonly string[]): RawBuilder<number> {
  const sizes = columns.map((name) => sql`coalesce(octet_length(${sql.ref(name)}), 0)`)
  return sql`${sql.join(sizes, sql` + `)}`
}

/** Keys in groups that are read or written at once. */
export function* keyGroups(keys: Iterable<RowKey>): Generator<RowKey[]> {
  let group: RowKey[] = []
  let bytes = 0
  for (const key of keys) {
    if (group.length === ROWS || (group.length > 0 && bytes + key.size > BYTES)) {
      yield group
      group = []
      bytes = 0
    }
    group.push(key)
    bytes += key.size
  }
  if (group.length > 0) yield group
}
