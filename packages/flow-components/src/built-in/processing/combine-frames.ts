import { eventLoopTurn } from '@x/wire'
import { sortCooperatively } from '@x/wire'
import { createWorkBudget } from '@x/wire'
import { cellOf, type Row } from '@x/flow-engine/internal'
import { createDataFrame, type DataFrame } from '@x/flow-engine'
import { toLiteralText } from '@x/flow-engine/internal'
import { checkCells } from '@x/flow-engine/internal'

/** Maximum number of rows of a merge, because equal key values multiply rows. */
const MAX_ROWS = 1_000_000

/** Concatenates the rows of all tables; columns are in order of first appearance. */
export function concatenateFrames(frames: readonly DataFrame[]): DataFrame {
  const columns = [...new Set(frames.flatMap((frame) => frame.columns))]
  return createDataFrame(
    frames.flatMap((frame) => frame.rows),
    columns,
  )
}

export interface MergeOptions {
  /** Key column; "" matches rows by position. */
  readonly column: string
  /** Join type: inner, outer, left or right. */
  readonly how: string
}

/**
 * Joins two tables. A column that both have takes the left value, or the right one if there is none; `outer`
 * sorts by the key.
 * @throws TypeError for a column missing from a table, and over 1,000,000 rows; FlowError `limit_exceeded`
 * over 5,000,000 cells
 */
export async function mergeFrames(
  left: DataFrame,
  right: DataFrame,
  { column, how }: MergeOptions,
): Promise<DataFrame> {
  if (column !== '') {
    requireColumn(left, column, 'left')
    requireColumn(right, column, 'right')
  }
  const columns = [...new Set([...left.columns, ...right.columns])]
  const matches = await rowsByKey(right, column)
  const matched = new Set<Row>()
  const merged: { key: unknown; row: Row }[] = []
  const give = (key: unknown, row: Row): void => void merged.push({ key, row })
  const step = createWorkBudget()
  let made = 0
  const make = (one: Row, other: Row): Row => {
    made += 1
    checkCells(made, columns.length)
    return mergedRow(columns, one, other)
  }
  let pairs = 0
  // Rows of the right table, in the order in which `right` returns them.
  const found = new Map<Row, Row[]>()
  for (const [at, row] of left.rows.entries()) {
    const others = matches.get(keyOf(row, column, at)) ?? []
    for (const other of others) {
      matched.add(other)
      pairs += 1
      if (pairs > MAX_ROWS) throw new TypeError(`The merge has more than ${MAX_ROWS} rows`)
      const both = make(row, other)
      if (how === 'right') gather(found, other, both)
      else give(valueOf(row, column, at), both)
      if (step(columns.length + 1)) await eventLoopTurn()
    }
    if (others.length === 0 && (how === 'left' || how === 'outer')) {
      give(valueOf(row, column, at), make(row, {}))
    }
    if (step(columns.length + 1)) await eventLoopTurn()
  }
  if (how === 'right' || how === 'outer') {
    for (const [at, other] of right.rows.entries()) {
      const key = valueOf(other, column, at)
      if (how === 'right') for (const row of found.get(other) ?? []) give(key, row)
      if (!matched.has(other)) give(key, make({}, other))
      if (step(columns.length + 1)) await eventLoopTurn()
    }
  }
  const sorted =
    how === 'outer' ? await sortCooperatively(merged, (a, b) => compareKeys(a.key, b.key)) : merged
  return createDataFrame(
    sorted.map(({ row }) => row),
    columns,
  )
}

function requireColumn({ columns }: DataFrame, column: string, side: 'left' | 'right'): void {
  if (columns.includes(column)) return
  const available = columns.map((name) => `'${name}'`).join(', ')
  throw new TypeError(
    `Column '${column}' not found in ${side} DataFrame. Available: [${available}]`,
  )
}

async function rowsByKey(frame: DataFrame, column: string): Promise<Map<string, Row[]>> {
  const rows = new Map<string, Row[]>()
  const step = createWorkBudget()
  for (const [at, row] of frame.rows.entries()) {
    if (step(1)) await eventLoopTurn()
    gather(rows, keyOf(row, column, at), row)
  }
  return rows
}

function gather<K>(lists: Map<K, Row[]>, key: K, row: Row): void {
  const same = lists.get(key)
  if (same === undefined) lists.set(key, [row])
  else same.push(row)
}

function valueOf(row: Row, column: string, at: number): unknown {
  return column === '' ? at : cellOf(row, column)
}

function keyOf(row: Row, column: string, at: number): string {
  const value = valueOf(row, column, at)
  return `${typeof value} ${toLiteralText(value)}`
}

function mergedRow(columns: readonly string[], left: Row, right: Row): Row {
  return Object.fromEntries(
    columns.map((column) => [column, cellOf(left, column) ?? cellOf(right, column)]),
  )
}

/** Orders numbers by value, then strings by character code, then missing values. */
function compareKeys(one: unknown, other: unknown): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const [left, right] = [toLiteralText(one), toLiteralText(other)]
  return left < right ? -1 : Number(left > right)
}
