import { branded, hasBrand } from './brand.ts'

export type Row = Readonly<Record<string, unknown>>

/** A table: rows of objects with the ordered union of their keys as columns (CO-3). */
export interface DataFrame {
  readonly kind: 'dataframe'
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

/** @param columns default: the keys of all rows, in order of first appearance */
export function createDataFrame(rows: readonly Row[], columns?: readonly string[]): DataFrame {
  return branded({ kind: 'dataframe', columns: columns ?? columnsOf(rows), rows })
}

export function isDataFrame(value: unknown): value is DataFrame {
  return hasBrand(value, 'dataframe')
}

/** A cell; absent and undefined are null (CO-3). */
export function cellOf(row: Row, column: string): unknown {
  return Object.hasOwn(row, column) ? (row[column] ?? null) : null
}

function columnsOf(rows: readonly Row[]): string[] {
  const columns = new Set<string>()
  for (const row of rows) for (const key of Object.keys(row)) columns.add(key)
  return [...columns]
}
