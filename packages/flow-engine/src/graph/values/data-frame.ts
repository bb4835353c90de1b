import { setOwn } from '@x/wire'
import { branded, hasBrand } from './brand.ts'

export type Row = Readonly<Record<string, unknown>>

/** A table: row objects, with the ordered union of their keys as columns. */
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

/** Reads a cell; absent and undefined become null. */
export function cellOf(row: Row, column: string): unknown {
  return Object.hasOwn(row, column) ? (row[column] ?? null) : null
}

/** Characters that nulls may always add to the JSON of a table. */
const NULLS = 1_000_000
/** Factor by which padding may exceed the column names already present. */
const TIMES_NAMES = 4
/** Characters of a null and its punctuation, without the column name. */
const NULL_CELL = 8

/**
 * The columns written for every row in JSON, with null for missing cells. Empty if the rows have so
 * little in common that the nulls would outweigh the data (rows times columns); each row then contains only
 * its own cells.
 */
export function jsonColumns({ rows, columns }: DataFrame): readonly string[] {
  const whole = rows.length * charactersOf(columns)
  let given = 0
  for (const row of rows) given += charactersOf(Object.keys(row))
  return whole - given <= Math.max(NULLS, TIMES_NAMES * given) ? columns : []
}

/** Adds null for each missing column, in column order; returns the row itself if it is complete. */
export function completeRow<T>(row: Readonly<Record<string, T>>, columns: readonly string[]) {
  const has = (name: string): boolean => Object.hasOwn(row, name) && row[name] !== undefined
  if (columns.every(has)) return row
  const whole: Record<string, T | null> = {}
  for (const name of columns) setOwn(whole, name, has(name) ? (row[name] ?? null) : null)
  for (const name of Object.keys(row)) {
    const cell = row[name]
    if (!Object.hasOwn(whole, name) && cell !== undefined) setOwn(whole, name, cell)
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
