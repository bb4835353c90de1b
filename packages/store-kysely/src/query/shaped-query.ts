import { sql, type RawBuilder } from 'kysely'
import { preparedQuery, type PreparedQuery } from './prepared-query.ts'

/** Column values by name. */
export type ColumnValues = Readonly<Record<string, unknown>>

/** Frequent queries on one table, one for each set of columns used by callers. */
export interface ShapedQueries<Tables> {
  /** Builds the query on first use of this name. */
  of<Row>(
    name: string,
    build: (value: (column: string) => unknown) => RawBuilder<Row>,
  ): PreparedQuery<Tables, ColumnValues, Row>
}

const queriesByOwner = new WeakMap<object, Map<string, unknown>>()

/** The queries of an `owner`, shared by all stores that share it. */
export function shapedQueries<Tables>(owner: object): ShapedQueries<Tables> {
  const queries = queriesByOwner.get(owner) ?? new Map<string, unknown>()
  queriesByOwner.set(owner, queries)
  return {
    of: <Row>(name: string, build: (value: (column: string) => unknown) => RawBuilder<Row>) => {
      const found = queries.get(name) as PreparedQuery<Tables, ColumnValues, Row> | undefined
      if (found !== undefined) return found
      const made = preparedQuery<Tables, ColumnValues, Row>((db, value) => ({
        compile: () => build(value).compile(db),
      }))
      queries.set(name, made)
      return made
    },
  }
}

/** A key for a condition: its columns, and which of them are null. */
export function shapeOf(values: ColumnValues): string {
  let shape = ''
  for (const column in values) shape += values[column] === null ? ` ${column}?` : ` ${column}`
  return shape
}

/** Equality conditions; null values become `is null`. */
export function equalities(
  values: ColumnValues,
  value: (column: string) => unknown,
): RawBuilder<unknown> {
  const conditions = Object.keys(values).map((column) =>
    values[column] === null
      ? sql`${sql.ref(column)} is null`
      : sql`${sql.ref(column)} = ${value(column)}`,
  )
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `)
}
