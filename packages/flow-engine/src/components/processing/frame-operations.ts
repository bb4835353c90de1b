import { cellOf, createDataFrame, type DataFrame, type Row } from '../../graph/values/data-frame.ts'
import { toLiteralText } from '../../graph/values/literal-text.ts'
import { parseNumberText } from '../number-text.ts'
import { compilePattern } from '../pattern.ts'

/**
 * Rows whose cell fits. `equals` and `not equals` convert nothing: a number never equals a text.
 * `contains` takes a pattern; `greater than` and `less than` compare numbers when `value` is one.
 * @throws TypeError for an unknown column or operator, a bad pattern, a text in a number comparison
 */
export function filterRows(
  frame: DataFrame,
  { column, operator, value }: { column: string; operator: string; value: string },
): DataFrame {
  requireColumns(frame, [column])
  const fits = FILTERS.get(operator)?.(value, column)
  if (fits === undefined) throw new TypeError(`Unsupported filter operator: ${operator}`)
  return withRows(
    frame,
    frame.rows.filter((row) => fits(cellOf(row, column))),
  )
}

/** Stable; cells without a value come last either way. Numbers come before texts. */
export function sortRows(frame: DataFrame, column: string, ascending: boolean): DataFrame {
  requireColumns(frame, [column])
  const direction = ascending ? 1 : -1
  const rows = frame.rows.toSorted((one, other) => {
    const [left, right] = [cellOf(one, column), cellOf(other, column)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return direction * compareCells(left, right)
  })
  return withRows(frame, rows)
}

export function dropColumn(frame: DataFrame, column: string): DataFrame {
  requireColumns(frame, [column])
  return selectColumns(
    frame,
    frame.columns.filter((name) => name !== column),
  )
}

/** An unknown column changes nothing; a name that is taken replaces that column. */
export function renameColumn(frame: DataFrame, column: string, name: string): DataFrame {
  if (!frame.columns.includes(column) || column === name) return frame
  const columns = frame.columns
    .filter((each) => each !== name)
    .map((each) => (each === column ? name : each))
  const rows = frame.rows.map((row) =>
    entriesOf(columns, (each) => cellOf(row, each === name ? column : each)),
  )
  return createDataFrame(rows, columns)
}

/** Sets one value in every row; an existing column is replaced where it stands. */
export function addColumn(frame: DataFrame, column: string, value: unknown): DataFrame {
  const columns = frame.columns.includes(column) ? frame.columns : [...frame.columns, column]
  const rows = frame.rows.map((row) =>
    entriesOf(columns, (each) => (each === column ? value : cellOf(row, each))),
  )
  return createDataFrame(rows, columns)
}

/** Names are trimmed; the columns come in the order of the names. */
export function selectColumns(frame: DataFrame, names: readonly string[]): DataFrame {
  const columns = [...new Set(names.map((name) => name.trim()))]
  requireColumns(frame, columns)
  const rows = frame.rows.map((row) => entriesOf(columns, (each) => cellOf(row, each)))
  return createDataFrame(rows, columns)
}

/** The first `count` rows; a negative count leaves out that many at the end. */
export function headRows(frame: DataFrame, count: number): DataFrame {
  return withRows(frame, frame.rows.slice(0, count))
}

/** The last `count` rows; a negative count leaves out that many at the start. */
export function tailRows(frame: DataFrame, count: number): DataFrame {
  return withRows(frame, count === 0 ? [] : frame.rows.slice(-count))
}

/** Replaces texts that equal `value`; other values stay. */
export function replaceValue(
  frame: DataFrame,
  { column, value, replacement }: { column: string; value: string; replacement: string },
): DataFrame {
  requireColumns(frame, [column])
  const rows = frame.rows.map((row) =>
    cellOf(row, column) === value ? { ...row, [column]: replacement } : row,
  )
  return withRows(frame, rows)
}

/** Keeps the first row of each value of the column. */
export function dropDuplicates(frame: DataFrame, column: string): DataFrame {
  requireColumns(frame, [column])
  const seen = new Set<string>()
  const rows = frame.rows.filter((row) => {
    const cell = cellOf(row, column)
    const key = `${typeof cell} ${toLiteralText(cell)}`
    return !seen.has(key) && seen.add(key)
  })
  return withRows(frame, rows)
}

/** @throws TypeError naming the first column that is missing and those there are */
export function requireColumns(frame: DataFrame, names: readonly string[]): void {
  const missing = names.find((name) => !frame.columns.includes(name))
  if (missing === undefined) return
  throw new TypeError(
    `Column '${missing}' not found in the DataFrame. Available columns: ${frame.columns.join(', ')}`,
  )
}

type Fits = (cell: unknown) => boolean

const FILTERS = new Map<string, (value: string, column: string) => Fits>([
  ['equals', (value) => (cell) => cell === value],
  ['not equals', (value) => (cell) => cell !== value],
  ['contains', (value) => patternFilter(value, true)],
  ['not contains', (value) => patternFilter(value, false)],
  ['starts with', (value) => textFilter((text) => text.startsWith(value))],
  ['ends with', (value) => textFilter((text) => text.endsWith(value))],
  ['greater than', (value, column) => orderFilter(value, column, (order) => order > 0)],
  ['less than', (value, column) => orderFilter(value, column, (order) => order < 0)],
])

function textFilter(fits: (text: string) => boolean): Fits {
  return (cell) => cell !== null && fits(toLiteralText(cell))
}

function patternFilter(source: string, wanted: boolean): Fits {
  const pattern = compilePattern(source)
  if (pattern === null) throw new TypeError(`Not a valid pattern: ${source}`)
  return (cell) => (cell !== null && pattern.test(toLiteralText(cell))) === wanted
}

function orderFilter(value: string, column: string, fits: (order: number) => boolean): Fits {
  const limit = parseNumberText(value)
  if (limit === null) return textFilter((text) => fits(compareTexts(text, value)))
  return (cell) => {
    if (cell === null) return false
    if (!isNumeric(cell)) {
      throw new TypeError(`Column '${column}' holds values that are no numbers`)
    }
    return fits(Number(cell) - limit)
  }
}

function isNumeric(cell: unknown): boolean {
  return typeof cell === 'number' || typeof cell === 'boolean'
}

function compareCells(left: unknown, right: unknown): number {
  if (isNumeric(left) !== isNumeric(right)) return isNumeric(left) ? -1 : 1
  return isNumeric(left)
    ? Number(left) - Number(right)
    : compareTexts(toLiteralText(left), toLiteralText(right))
}

/** By character code, as the same flow sorts everywhere. */
function compareTexts(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}

function withRows(frame: DataFrame, rows: readonly Row[]): DataFrame {
  return createDataFrame(rows, frame.columns)
}

function entriesOf(columns: readonly string[], cell: (column: string) => unknown): Row {
  return Object.fromEntries(columns.map((column) => [column, cell(column)]))
}
