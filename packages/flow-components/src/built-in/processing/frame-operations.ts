import { eventLoopTurn } from '@x/wire'
import { sortCooperatively } from '@x/wire'
import { createWorkBudget } from '@x/wire'
import { cellOf, type Row } from '@x/flow-engine/internal'
import { createDataFrame, type DataFrame } from '@x/flow-engine'
import { columnMetadata, columnText, type ColumnMetadata } from '@x/flow-engine/internal'
import { toLiteralText } from '@x/flow-engine/internal'
import { parseNumberText } from '@x/flow-engine/internal'
import { linearPattern } from '@x/flow-engine/internal'
import { checkCells } from '@x/flow-engine/internal'

/**
 * Filters rows by a cell. `equals` and `not equals` convert nothing: a number never equals a string, unless
 * `numbers` is set and the column contains numbers. `contains` takes a pattern. `greater than` and `less
 * than` compare as numbers if `value` is a number and the column contains only numbers. An unknown operator
 * means `equals`.
 * @throws TypeError for an unknown column or an invalid pattern
 */
export async function filterRows(
  frame: DataFrame,
  { column, operator, value, numbers = false }: FilterOptions,
): Promise<DataFrame> {
  requireColumns(frame, [column])
  const makeFilter = FILTERS.get(operator) ?? equals
  const facts = columnMetadata(frame, column)
  const fits = await makeFilter(value, { ...facts, comparesNumbers: numbers && facts.numeric })
  const rows: Row[] = []
  let read = 0
  for (const row of frame.rows) {
    const cell = cellOf(row, column)
    if (fits(cell)) rows.push(row)
    read += typeof cell === 'string' ? cell.length : 1
    if (read < TURN) continue
    // Yields, because a pattern reads each text completely (AB-30).
    read = 0
    await eventLoopTurn()
  }
  return withRows(frame, rows)
}

interface FilterOptions {
  readonly column: string
  readonly operator: string
  readonly value: string
  readonly numbers?: boolean | undefined
}

/** Yields to the event loop after this many characters. */
const TURN = 100_000
/** Characters of a text that cost as much as a cell. */
const CHARACTERS = 100

/**
 * Sorts stably; cells without a value always come last.
 * @throws TypeError for an unknown column, and for cells without a common order
 */
export async function sortRows(
  frame: DataFrame,
  column: string,
  ascending: boolean,
): Promise<DataFrame> {
  requireColumns(frame, [column])
  requireOrder(frame, column)
  const direction = ascending ? 1 : -1
  const keyed = await mapRows(frame, [column], (row) => ({ row, key: sortKey(row, column) }))
  const sorted = await sortCooperatively(keyed, ({ key: left }, { key: right }) => {
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return direction * compareKeys(left, right)
  })
  return withRows(
    frame,
    sorted.map(({ row }) => row),
  )
}

export async function dropColumn(frame: DataFrame, column: string): Promise<DataFrame> {
  requireColumns(frame, [column])
  return await selectColumns(
    frame,
    frame.columns.filter((name) => name !== column),
  )
}

/** An unknown column is ignored; an existing column of the new name is replaced. */
export async function renameColumn(
  frame: DataFrame,
  column: string,
  name: string,
): Promise<DataFrame> {
  if (!frame.columns.includes(column) || column === name) return frame
  const columns = frame.columns
    .filter((each) => each !== name)
    .map((each) => (each === column ? name : each))
  const rows = await mapRows(frame, columns, (row) =>
    entriesOf(columns, (each) => cellOf(row, each === name ? column : each)),
  )
  return createDataFrame(rows, columns)
}

/** Sets a value in every row; an existing column is replaced in place. */
export async function addColumn(
  frame: DataFrame,
  column: string,
  value: unknown,
): Promise<DataFrame> {
  const columns = frame.columns.includes(column) ? frame.columns : [...frame.columns, column]
  const rows = await mapRows(frame, columns, (row) =>
    entriesOf(columns, (each) => (each === column ? value : cellOf(row, each))),
  )
  return createDataFrame(rows, columns)
}

/** Trims the names; columns are returned in the order of the names. */
export async function selectColumns(
  frame: DataFrame,
  names: readonly string[],
): Promise<DataFrame> {
  const columns = [...new Set(names.map((name) => name.trim()))]
  requireColumns(frame, columns)
  const rows = await mapRows(frame, columns, (row) =>
    entriesOf(columns, (each) => cellOf(row, each)),
  )
  return createDataFrame(rows, columns)
}

/** Returns the first `count` rows; with a negative count, all but that many at the end. */
export function headRows(frame: DataFrame, count: number): DataFrame {
  return withRows(frame, frame.rows.slice(0, count))
}

/** Returns the last `count` rows; with a negative count, all but that many at the start. */
export function tailRows(frame: DataFrame, count: number): DataFrame {
  return withRows(frame, count === 0 ? [] : frame.rows.slice(-count))
}

/** Replaces strings equal to `value`, and with `numbers` also numbers; other values are unchanged. */
export async function replaceValue(
  frame: DataFrame,
  {
    column,
    value,
    replacement,
    numbers = false,
  }: { column: string; value: string; replacement: string; numbers?: boolean | undefined },
): Promise<DataFrame> {
  requireColumns(frame, [column])
  const comparesNumbers = numbers && columnMetadata(frame, column).numeric
  const isReplaced = equals(value, { comparesNumbers })
  const rows: Row[] = []
  const step = createWorkBudget()
  for (const row of frame.rows) {
    const isOther = isReplaced(cellOf(row, column))
    rows.push(isOther ? { ...row, [column]: replacement } : row)
    if (step(isOther ? Object.keys(row).length : 1)) await eventLoopTurn()
  }
  return withRows(frame, rows)
}

/** Keeps the first row for each value of the column. */
export async function dropDuplicates(frame: DataFrame, column: string): Promise<DataFrame> {
  requireColumns(frame, [column])
  const seen = new Set<string>()
  const rows: Row[] = []
  const step = createWorkBudget()
  for (const row of frame.rows) {
    const found = cellOf(row, column)
    const cell = typeof found === 'boolean' ? Number(found) : found
    const key = `${typeof cell} ${toLiteralText(cell)}`
    if (step(1 + key.length / CHARACTERS)) await eventLoopTurn()
    if (seen.has(key)) continue
    seen.add(key)
    rows.push(row)
  }
  return withRows(frame, rows)
}

/** @throws TypeError that names the first missing column and the available ones */
export function requireColumns(frame: DataFrame, names: readonly string[]): void {
  const known = new Set(frame.columns)
  const missing = names.find((name) => !known.has(name))
  if (missing === undefined) return
  throw new TypeError(
    `Column '${missing}' not found in the DataFrame. Available columns: ${frame.columns.join(', ')}`,
  )
}

type Fits = (cell: unknown) => boolean

interface Compared {
  /** True if a numeric string equals the number. */
  readonly comparesNumbers: boolean
}

type MakeFilter = (value: string, column: ColumnMetadata & Compared) => Fits | Promise<Fits>

function equals(value: string, { comparesNumbers }: Compared): Fits {
  const number = comparesNumbers ? parseNumberText(value) : null
  if (number === null) return (cell) => cell === value
  return (cell) => cell === value || cell === number
}

const FILTERS = new Map<string, MakeFilter>([
  [
    'not equals',
    (value, column) => {
      const fits = equals(value, column)
      return (cell) => !fits(cell)
    },
  ],
  ['contains', (value, column) => patternFilter(value, column, true)],
  ['not contains', (value, column) => patternFilter(value, column, false)],
  ['starts with', (value, column) => textFilter(column, (text) => text.startsWith(value))],
  ['ends with', (value, column) => textFilter(column, (text) => text.endsWith(value))],
  ['greater than', (value, column) => orderFilter(value, column, (order) => order > 0)],
  ['less than', (value, column) => orderFilter(value, column, (order) => order < 0)],
])

function textFilter(column: ColumnMetadata, fits: (text: string) => boolean): Fits {
  return (cell) => fits(columnText(cell, column))
}

async function patternFilter(
  source: string,
  column: ColumnMetadata,
  wanted: boolean,
): Promise<Fits> {
  const pattern = await linearPattern(source)
  if (pattern === null) throw new TypeError(`Filter Value is not a valid pattern: ${source}`)
  return textFilter(column, (text) => pattern.find(text) === wanted)
}

/** Compares as numbers if both sides are numbers, else as strings; missing values never match. */
function orderFilter(
  value: string,
  column: ColumnMetadata,
  fits: (order: number) => boolean,
): Fits {
  if (value === '') return () => false
  const limit = parseNumberText(value)
  if (limit === null || !column.numeric) {
    return textFilter(column, (text) => fits(compareTexts(text, value)))
  }
  return (cell) => cell !== null && fits(Number(cell) - limit)
}

function isNumeric(cell: unknown): boolean {
  return typeof cell === 'number' || typeof cell === 'boolean'
}

/** Accepts only numbers or only strings; lists are compared by their text. */
function requireOrder(frame: DataFrame, column: string): void {
  const cells = frame.rows.map((row) => cellOf(row, column)).filter((cell) => cell !== null)
  const numbers = cells.filter(isNumeric).length
  const objects = cells.some((cell) => typeof cell === 'object' && !Array.isArray(cell))
  if (objects || (numbers > 0 && numbers < cells.length)) {
    throw new TypeError(`Column '${column}' contains values that cannot be compared`)
  }
}

/** The value by which a row is ordered; null for none. */
function sortKey(row: Row, column: string): number | string | null {
  const cell = cellOf(row, column)
  if (cell === null) return null
  return isNumeric(cell) ? Number(cell) : toLiteralText(cell)
}

function compareKeys(left: number | string, right: number | string): number {
  if (typeof left === 'number') return left - Number(right)
  return compareTexts(left, String(right))
}

/** Compares by character code, so that the order is the same everywhere. */
function compareTexts(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}

function withRows(frame: DataFrame, rows: readonly Row[]): DataFrame {
  return createDataFrame(rows, frame.columns)
}

/**
 * Maps the rows to rows of these columns, yielding to the event loop.
 * @throws FlowError `limit_exceeded` for more than 5,000,000 cells
 */
async function mapRows<T>(
  { rows }: DataFrame,
  columns: readonly string[],
  map: (row: Row) => T,
): Promise<T[]> {
  checkCells(rows.length, columns.length)
  const step = createWorkBudget()
  const mapped: T[] = []
  for (const row of rows) {
    mapped.push(map(row))
    if (step(columns.length + 1)) await eventLoopTurn()
  }
  return mapped
}

function entriesOf(columns: readonly string[], cell: (column: string) => unknown): Row {
  return Object.fromEntries(columns.map((column) => [column, cell(column)]))
}
