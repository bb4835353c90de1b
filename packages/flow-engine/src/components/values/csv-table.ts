import { createDataFrame, type DataFrame } from '../../graph/values/data-frame.ts'

/** Texts that stand for an empty cell. */
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

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/
const BOOLEAN = new Map([
  ['True', true],
  ['TRUE', true],
  ['true', true],
  ['False', false],
  ['FALSE', false],
  ['false', false],
])

/**
 * The table of a CSV text whose first line names the columns. A column of numbers only, or of true
 * and false only, holds such values; every other column holds texts. Empty cells are null.
 * @throws SyntaxError when a row has more cells than there are columns
 */
export async function parseCsvTable(text: string): Promise<DataFrame> {
  const { default: papa } = await import('papaparse')
  const { data: lines } = papa.parse<string[]>(text, { delimiter: ',', skipEmptyLines: true })
  const [header = [], ...body] = lines
  const names = uniqueNames(header)
  const columns = names.map((_, at) => readColumn(body.map((cells) => cells[at] ?? '')))
  const long = body.findIndex((cells) => cells.length > names.length)
  if (long >= 0) {
    throw new SyntaxError(`CSV row ${long + 2} has more cells than the ${names.length} columns`)
  }
  const rows = body.map((_, at) =>
    Object.fromEntries(names.map((name, column) => [name, columns[column]?.[at] ?? null])),
  )
  return createDataFrame(rows, names)
}

/** A table as CSV with a line of column names unless `header` is false; lines end in a newline. */
export async function formatCsvTable(
  frame: DataFrame,
  { header = true }: { readonly header?: boolean } = {},
): Promise<string> {
  const { default: papa } = await import('papaparse')
  const body = frame.rows.map((row) => frame.columns.map((name) => cellText(row[name])))
  const lines = header ? [[...frame.columns], ...body] : body
  return lines.length === 0 ? '' : `${papa.unparse(lines, { newline: '\n' })}\n`
}

function readColumn(cells: readonly string[]): unknown[] {
  const given = cells.filter((cell) => !EMPTY.has(cell))
  const read = given.every((cell) => NUMBER.test(cell))
    ? Number
    : given.every((cell) => BOOLEAN.has(cell))
      ? (cell: string) => BOOLEAN.get(cell)
      : (cell: string) => cell
  return cells.map((cell) => (EMPTY.has(cell) ? null : read(cell)))
}

/** A name that occurs again gets a number, a missing one is `Unnamed: <position>`. */
function uniqueNames(header: readonly string[]): string[] {
  const taken = new Set<string>()
  return header.map((text, at) => {
    const name = text === '' ? `Unnamed: ${at}` : text
    let unique = name
    for (let count = 1; taken.has(unique); count += 1) unique = `${name}.${count}`
    taken.add(unique)
    return unique
  })
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
