import { branded, hasBrand } from './brand.ts'
import { setField } from './set-field.ts'

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

/** Characters that nulls may add to the JSON of any table. */
const NULLS = 1_000_000
/** Factor by which padding may exceed the existing names of cells. */
const TIMES_NAMES = 4
/** Characters of a null and what surrounds it, the name of its column left out. */
const NULL_CELL = 8

/**
 * The columns that every row has in JSON, missing cells as null (CO-3): those of the table. None
 * when its rows have so little in common that the nulls would outgrow what is there, rows times
 * columns: then each row has the cells it has.
 */
export function jsonColumns({ rows, columns }: DataFrame): readonly string[] {
  const whole = rows.length * charactersOf(columns)
  let given = 0
  for (const row of rows) given += charactersOf(Object.keys(row))
  return whole - given <= Math.max(NULLS, TIMES_NAMES * given) ? columns : []
}

/** A row with a null for each of these columns that it lacks, in their order; else the row itself. */
export function completeRow<T>(row: Readonly<Record<string, T>>, columns: readonly string[]) {
  const has = (name: string): boolean => Object.hasOwn(row, name) && row[name] !== undefined
  if (columns.every(has)) return row
  const whole: Record<string, T | null> = {}
  for (const name of columns) setField(whole, name, has(name) ? (row[name] ?? null) : null)
  for (const name of Object.keys(row)) {
    const cell = row[name]
    if (!Object.hasOwn(whole, name) && cell !== undefined) setField(whole, name, cell)
  }
  return whole
}

function charactersOf(names: readonly string[]): number {
  let characters = 0
  for (const name of names) characters += name.length + NULL_CELL
  return characters
}

function columnsOf(rows: readonly Row[]): string[] {
  const columns = new Set<string>()
  for (const row of rows) for (const key of Object.keys(row)) columns.add(key)
  return [...columns]
}
