import { eventLoopTurn } from '@x/wire'
import { createDataFrame, type DataFrame } from '../../graph/values/data-frame.ts'
import { createWorkBudget } from '@x/wire'
import { readCsv } from './csv-cells.ts'
import { checkCells } from './table-size.ts'

/** Strings treated as empty cells. */
const EMPTY = new Set([
  '',
  '#N/A',
  '#N/A N/A',
  '#NA',
  '-1.#IND',
  '-1.#QNAN',
  '-NaN',
  '-nan',
  '1.#IND',
  '1.#QNAN',
  '<NA>',
  'N/A',
  'NA',
  'NULL',
  'NaN',
  'None',
  'n/a',
  'nan',
  'null',
])

const NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*$/
const BOOLEAN = new Map([
  ['True', true],
  ['TRUE', true],
  ['true', true],
  ['False', false],
  ['FALSE', false],
  ['false', false],
])

/**
 * Parses CSV text whose first line contains the column names. Columns with only numbers or only booleans are
 * converted; all others contain strings. Empty cells become null.
 * @throws SyntaxError when a row has more cells than columns; FlowError `limit_exceeded` for more than
 * 5,000,000 cells, including empty ones, or a cell of more than 5,000,000 characters
 */
export async function parseCsvTable(text: string): Promise<DataFrame> {
  const [header = [], ...body] = await readLines(text)
  const names = uniqueNames(header)
  const step = createWorkBudget()
  const columns: unknown[][] = []
  for (const at of names.keys()) columns.push(await readColumn(body, at, step))
  const rows: Record<string, unknown>[] = []
  for (const at of body.keys()) {
    if (step(names.length + 1)) await eventLoopTurn()
    const cells = names.map((name, column) => [name, columns[column]?.[at] ?? null] as const)
    rows.push(Object.fromEntries(cells))
  }
  return createDataFrame(rows, names)
}

/** Reads all lines, starting with the header. @throws as parseCsvTable */
async function readLines(text: string): Promise<string[][]> {
  const lines: string[][] = []
  let line: string[] = []
  await readCsv(text, (cells, isLast) => {
    for (const cell of cells) line.push(cell)
    const [header] = lines
    checkCells(Math.max(1, lines.length), header?.length ?? line.length)
    if (header !== undefined && line.length > header.length) {
      throw new SyntaxError(
        `CSV row ${lines.length + 1} has more cells than the ${header.length} columns`,
      )
    }
    if (!isLast) return
    lines.push(line)
    line = []
  })
  return lines
}

/**
 * Formats a table as CSV with a header line unless `header` is false; every line ends in a newline.
 * @throws FlowError `limit_exceeded` for more than 5,000,000 cells, including empty ones
 */
export async function formatCsvTable(
  frame: DataFrame,
  { header = true }: { readonly header?: boolean } = {},
): Promise<string> {
  checkCells(frame.rows.length, frame.columns.length)
  const parts: string[] = header ? [csvLine(frame.columns)] : []
  const step = createWorkBudget()
  for (const row of frame.rows) {
    parts.push(csvLine(frame.columns.map((name) => cellText(row[name]))))
    if (step(frame.columns.length + 1)) await eventLoopTurn()
  }
  return parts.join('')
}

async function readColumn(
  lines: readonly (readonly string[])[],
  at: number,
  step: (cells: number) => boolean,
): Promise<unknown[]> {
  let areNumbers = true
  let areBooleans = true
  for (const line of lines) {
    if (step(1)) await eventLoopTurn()
    const cell = line[at] ?? ''
    if (EMPTY.has(cell)) continue
    areNumbers &&= NUMBER.test(cell)
    areBooleans &&= BOOLEAN.has(cell)
    if (!areNumbers && !areBooleans) break
  }
  const column: unknown[] = []
  for (const line of lines) {
    if (step(1)) await eventLoopTurn()
    const cell = line[at] ?? ''
    if (EMPTY.has(cell)) column.push(null)
    else if (areNumbers) column.push(Number(cell))
    else column.push(areBooleans ? BOOLEAN.get(cell) : cell)
  }
  return column
}

/** Numbers duplicate names; a missing name becomes `Unnamed: <position>`. */
function uniqueNames(header: readonly string[]): string[] {
  const taken = new Set<string>()
  /** The last number used for each name; searching from 1 would be slow for thousands of duplicates. */
  const counts = new Map<string, number>()
  return header.map((text, at) => {
    const name = text === '' ? `Unnamed: ${at}` : text
    let unique = name
    let count = counts.get(name) ?? 0
    while (taken.has(unique)) {
      count += 1
      unique = `${name}.${count}`
    }
    counts.set(name, count)
    taken.add(unique)
    return unique
  })
}

function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (NEEDS_QUOTES.test(cell) ? quoted(cell) : cell)).join(',')}\n`
}

/** Readers may strip blanks at the ends of a cell, and take U+FEFF for a byte order mark. */
const NEEDS_QUOTES = /^ |[",\r\n\uFEFF]| $/

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
