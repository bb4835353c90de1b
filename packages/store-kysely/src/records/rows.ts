import { sql, type CompiledQuery, type Kysely, type RawBuilder } from 'kysely'
import type { PreparedQuery } from '../query/prepared-query.ts'
import type { Mapping } from './columns.ts'
import { chunks } from '../query/chunks.ts'
import { equalities, shapedQueries, shapeOf, type ColumnValues } from '../query/shaped-query.ts'
import { atomic, statement } from '../engine/transaction.ts'

/** Reads and writes the records of one table by field values. */
export interface Rows<Value> {
  /** The first record in insertion order; null if there is none. */
  first(where: Partial<Value>): Promise<Value | null>
  /** In insertion order. */
  all(where: Partial<Value>): Promise<Value[]>
  /** Rows of a query on the table `r`. */
  select(rest: RawBuilder<unknown>): Promise<Value[]>
  /** One field of the rows of a query on the table `r`. */
  pluck<Key extends keyof Value & string>(
    field: Key,
    rest: RawBuilder<unknown>,
  ): Promise<Value[Key][]>
  count(where: RawBuilder<unknown>): Promise<number>
  /** All or nothing, in order. */
  insert(records: readonly Value[], more?: RowColumns<Value>): Promise<void>
  /** The changed record; null if there is none. */
  update(
    where: Partial<Value>,
    patch: Partial<Value>,
    more?: Readonly<Record<string, unknown>>,
  ): Promise<Value | null>
  /** Returns the number of removed rows. */
  remove(where: Partial<Value>): Promise<number>
  /** Equality of fields as SQL; null values become `is null`. */
  where(fields: Partial<Value>): RawBuilder<unknown>
  /** The insert statement of a record, without running it. */
  insertion(record: Value): CompiledQuery
  /** The insert statements of records in order, some for several rows, without running them. */
  insertions(records: readonly Value[]): CompiledQuery[]
}

/** Additional columns computed for each record. */
export type RowColumns<Value> = (record: Value) => Readonly<Record<string, unknown>>

/** Well below the parameter limit of both databases, for tables with up to 30 columns. */
const INSERTED_AT_ONCE = 100
/** Rows per prepared statement. More rows would save little more, and leave more rows to insert singly. */
const INSERTED_TOGETHER = 8

const ONE = sql`limit 1`
const ALL = sql``

/** A row as its column values. */
function valuesOf(row: unknown): ColumnValues {
  return row as ColumnValues
}

/** The rows of one table; `db` may be a transaction. */
export function tableRows<Value, Row, Tables>(
  db: Kysely<Tables>,
  name: string,
  mapping: Mapping<Value, Row>,
): Rows<Value> {
  const table = sql.table(name)
  const columns = sql.join(mapping.columns.map((column) => sql.ref(column)))
  const records = (rows: readonly Row[]): Value[] => rows.map((row) => mapping.fromRow(row))

  const queries = shapedQueries<Tables>(mapping)
  const where = (fields: Partial<Value>): RawBuilder<unknown> => {
    const values = valuesOf(mapping.toPatch(fields))
    return equalities(values, (column) => values[column])
  }
  const find = async (fields: Partial<Value>, rest: RawBuilder<unknown>): Promise<Value[]> => {
    const values = valuesOf(mapping.toPatch(fields))
    const shape = `${rest === ONE ? 'first' : 'all'}${shapeOf(values)}`
    const query = queries.of(
      shape,
      (value) => sql<Row>`select ${columns} from ${table} as r
        where ${equalities(values, value)} order by seq ${rest}`,
    )
    return records((await query.run(db, values)).rows)
  }
  const insertOne = (row: ColumnValues): PreparedQuery<Tables, ColumnValues, unknown> => {
    const names = Object.keys(row)
    return queries.of(
      `insert ${names.join(' ')}`,
      (value) => sql`insert into ${table} (${sql.join(names.map((column) => sql.ref(column)))})
        values (${sql.join(names.map((column) => value(column)))})`,
    )
  }

  const select = async (rest: RawBuilder<unknown>): Promise<Value[]> =>
    records((await sql<Row>`select ${columns} from ${table} as r ${rest}`.execute(db)).rows)

  const insertionOf = (rows: readonly ColumnValues[], names: readonly string[]) => {
    const tuples = rows.map((row) => sql`(${sql.join(names.map((column) => row[column]))})`)
    return sql`insert into ${table} (${sql.join(names.map((column) => sql.ref(column)))})
      values ${sql.join(tuples)}`
  }
  const insertSome = async (step: Kysely<Tables>, rows: readonly ColumnValues[]): Promise<void> => {
    await insertionOf(rows, Object.keys(rows[0] ?? {})).execute(step)
  }

  /** Compiled insertions of whole records, by their number. */
  const compiled = new Map<number, CompiledQuery>()
  const insertionOfAll = (whole: readonly Value[]): CompiledQuery => {
    let insertion = compiled.get(whole.length)
    if (insertion === undefined) {
      const row = Object.fromEntries(mapping.columns.map((column) => [column, 0]))
      const rows = whole.map(() => row)
      insertion = insertionOf(rows, mapping.columns).compile(db)
      compiled.set(whole.length, insertion)
    }
    const { query, sql: text, queryId } = insertion
    return {
      query,
      sql: text,
      queryId,
      parameters: whole.flatMap((record) => mapping.toValues(record)),
    }
  }

  return {
    where,
    select,
    first: async (fields) => (await find(fields, ONE))[0] ?? null,
    all: (fields) => find(fields, ALL),
    insertion: (record) => insertionOfAll([record]),
    insertions: (whole) =>
      [...chunks(whole, INSERTED_TOGETHER)].flatMap((part) =>
        part.length < INSERTED_TOGETHER
          ? part.map((record) => insertionOfAll([record]))
          : [insertionOfAll(part)],
      ),

    async pluck(field, rest) {
      const { rows } = await sql<{ value: unknown }>`
        select ${sql.ref(mapping.columnOf(field))} as value from ${table} as r ${rest}`.execute(db)
      return rows.map(({ value }) => mapping.decode(field, value))
    },

    async count(condition) {
      const { rows } = await sql<{ total: number }>`
        select count(*) as total from ${table} as r where ${condition}`.execute(db)
      return rows[0]?.total ?? 0
    },

    async insert(given, more) {
      const rows = given.map((record) => ({ ...mapping.toRow(record), ...more?.(record) }))
      const [first] = rows
      if (first === undefined) return
      if (rows.length === 1) {
        await statement(db, (step) => insertOne(first).run(step, first))
        return
      }
      if (rows.length <= INSERTED_AT_ONCE) {
        await statement(db, (step) => insertSome(step, rows))
        return
      }
      await atomic(db, async (tx) => {
        for (const part of chunks(rows, INSERTED_AT_ONCE)) await insertSome(tx, part)
      })
    },

    async update(fields, patch, more = {}) {
      const changes = Object.entries({ ...mapping.toPatch(patch), ...more })
      if (changes.length === 0) return (await select(sql`where ${where(fields)}`))[0] ?? null
      const set = sql.join(changes.map(([column, value]) => sql`${sql.ref(column)} = ${value}`))
      const { rows } = await statement(db, (step) =>
        sql<Row>`update ${table} set ${set} where ${where(fields)} returning ${columns}`.execute(
          step,
        ),
      )
      return records(rows)[0] ?? null
    },

    async remove(fields) {
      const { numAffectedRows = 0n } =
        await sql`delete from ${table} where ${where(fields)}`.execute(db)
      return Number(numAffectedRows)
    },
  }
}
