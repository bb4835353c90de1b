import { sql, type RawBuilder } from 'kysely'
import { hotQuery, type HotQuery } from './compiled-query.ts'

/** Values of columns by their names. */
export type ColumnValues = Readonly<Record<string, unknown>>

/** Hot queries over one table, one for each set of columns that callers name. */
export interface ShapedQueries<Tables> {
  /** Builds the query the first time that it is asked for under this name. */
  of<Row>(
    name: string,
    build: (value: (column: string) => unknown) => RawBuilder<Row>,
  ): HotQuery<Tables, ColumnValues, Row>
}

const known = new WeakMap<object, Map<string, unknown>>()

/** The queries of whatever `owner` describes: shared by all stores over it, as it is by them. */
export function shapedQueries<Tables>(owner: object): ShapedQueries<Tables> {
  const queries = known.get(owner) ?? new Map<string, unknown>()
  known.set(owner, queries)
  return {
    of: <Row>(name: string, build: (value: (column: string) => unknown) => RawBuilder<Row>) => {
      const found = queries.get(name) as HotQuery<Tables, ColumnValues, Row> | undefined
      if (found !== undefined) return found
      const made = hotQuery<Tables, ColumnValues, Row>((db, value) => ({
        compile: () => build(value).compile(db),
      }))
      queries.set(name, made)
      return made
    },
  }
}

/** Names a condition by its columns, and by which of them are null. */
export function shapeOf(values: ColumnValues): string {
  let shape = ''
  for (const column in values) shape += values[column] === null ? ` ${column}?` : ` ${column}`
  return shape
}

/** Equality of columns; null stands for null. */
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
