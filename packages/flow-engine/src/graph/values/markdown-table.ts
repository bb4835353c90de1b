import { mapSteps, type CooperativeWork } from '@x/wire'
import { cellOf, type DataFrame } from './data-frame.ts'
import { formatNumber, toLiteralText } from './literal-text.ts'
import { createCharacterCount, MAX_CHARACTERS, tableTooLarge } from './table-size.ts'

const MIN_PADDING = 2
/** Rows that are written in one part. */
const ROWS = 2000

export interface MarkdownOptions {
  /** Drop empty rows, trim blank cells, collapse repeated newlines. */
  readonly clean?: boolean
  /** Replaces newlines in cells. */
  readonly lineBreak?: string
}

interface Column {
  readonly header: string
  readonly numeric: boolean
  readonly cells: readonly string[]
  /** True if a cell contains line breaks, including those trimmed at its ends. */
  readonly multiline: boolean
  readonly width: number
  /** Total number of lines of all cells. */
  readonly lines: number
}

/**
 * Formats a frame, in parts, as a pipe table: numbers right-aligned, text left-aligned, `|` escaped. A frame
 * without columns is an empty string.
 * @throws FlowError `limit_exceeded` for a table of more than 16,777,216 characters
 */
export function* markdownTable(
  frame: DataFrame,
  options: MarkdownOptions = {},
): CooperativeWork<string> {
  if (frame.columns.length === 0) return ''
  const rows = options.clean === true ? frame.rows.filter(hasValue) : frame.rows
  const least = frame.columns.reduce((sum, name) => sum + name.length + MIN_PADDING + 3, 0)
  if (least * rows.length > MAX_CHARACTERS) throw tableTooLarge()
  const cells: unknown[][] = []
  for (const name of frame.columns)
    cells.push(
      yield* mapSteps(rows, (row) => (Object.hasOwn(row, name) ? cellOf(row, name) : undefined)),
    )
  // A table that contains only booleans shows ones and zeros.
  const truths = cells.every((values) => values.every((value) => typeof value === 'boolean'))
  const columns: Column[] = []
  const count = createCharacterCount()
  for (const [at, name] of frame.columns.entries()) {
    const values = cells[at] ?? []
    columns.push(yield* layOut(name, truths ? values.map(Number) : values, { ...options, count }))
  }
  checkSize(columns)
  const heads = columns.map((column) => pad(column.header, column))
  const rules = columns.map(({ width, numeric }) => {
    if (rows.length === 0) return '-'.repeat(width + 2)
    return numeric ? `${'-'.repeat(width + 1)}:` : `:${'-'.repeat(width + 1)}`
  })
  return [
    `| ${heads.join(' | ')} |`,
    `|${rules.join('|')}|`,
    ...(yield* bodyLines(columns, rows.length)),
  ].join('\n')
}

/** @throws FlowError `limit_exceeded` */
function checkSize(columns: readonly Column[]): void {
  const characters = columns.reduce((sum, { width, lines }) => sum + (width + 3) * lines, 0)
  if (characters > MAX_CHARACTERS) throw tableTooLarge()
}

/** A cell with newlines spans several lines; in such a table a row of empty cells takes no line. */
function* bodyLines(columns: readonly Column[], count: number): CooperativeWork<string[]> {
  const multiline = columns.some((column) => column.multiline)
  const lines: string[] = []
  for (let index = 0; index < count; index += 1) {
    const cells = columns.map((column) => {
      const text = column.cells[index] ?? ''
      return text === '' && multiline ? [] : text.split('\n')
    })
    const height = cells.reduce((most, cell) => Math.max(most, cell.length), 0)
    for (let line = 0; line < height; line += 1) {
      const parts = columns.map((column, at) => pad(cells[at]?.[line] ?? '', column))
      lines.push(`| ${parts.join(' | ')} |`)
    }
    if (index % ROWS === ROWS - 1) yield
  }
  return lines
}

function* layOut(
  header: string,
  values: readonly unknown[],
  options: MarkdownOptions & { readonly count: ReturnType<typeof createCharacterCount> },
): CooperativeWork<Column> {
  const numeric = isNumeric(values)
  const texts: string[] = []
  for (const value of values) {
    const text = numeric ? numberText(value) : literalText(value)
    const isDue = options.count(text)
    texts.push(numeric ? text : cellText(text, options))
    if (isDue) yield
  }
  const multiline = texts.some((text) => text.includes('\n'))
  const cells = numeric ? alignDecimals(texts) : texts.map((text) => text.trim())
  let lines = 0
  let width = textWidth(header) + MIN_PADDING
  const count = createCharacterCount()
  for (const cell of cells) {
    for (const line of cell.split('\n')) {
      lines += 1
      width = Math.max(width, textWidth(line))
    }
    if (count(cell)) yield
  }
  return {
    header,
    numeric,
    cells,
    multiline,
    width,
    lines,
  }
}

/** Drops blanks that are all there is, and collapses repeated newlines. */
export function cleanCell(text: string): string {
  return text.replace(/^\s*$/, '').replaceAll(/\n+/g, '\n')
}

function literalText(value: unknown): string {
  if (value === undefined) return 'nan'
  return value === null ? '' : toLiteralText(value)
}

function cellText(literal: string, { clean, lineBreak }: MarkdownOptions): string {
  const given = clean === true ? cleanCell(literal) : literal
  const text = given.replaceAll('|', '\\|').replaceAll(/\r\n?/g, '\n')
  return lineBreak === undefined ? text : text.replaceAll('\n', lineBreak)
}

/** Only numbers, numeric strings, booleans and gaps, with at least one number. */
function isNumeric(values: readonly unknown[]): boolean {
  const given = values.filter((value) => value !== null && value !== undefined)
  const isNumber = (value: unknown): boolean => typeof value === 'number' || isNumberText(value)
  return (
    given.some(isNumber) && given.every((value) => typeof value === 'boolean' || isNumber(value))
  )
}

function isNumberText(value: unknown): boolean {
  return typeof value === 'string' && /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)
}

function numberText(value: unknown): string {
  if (value === null || value === undefined) return 'nan'
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' ? shortNumber(value) : toLiteralText(value)
}

/** Six significant digits for fractions; integers in full. */
function shortNumber(value: number): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return formatNumber(value)
  const exponent = Math.floor(Math.log10(Math.abs(value)))
  if (exponent < -4 || exponent >= 6) {
    return value
      .toExponential(5)
      .replace(/\.?0+e/, 'e')
      .replace(/e([+-])(\d)$/, 'e$10$2')
  }
  return String(Number(value.toPrecision(6)))
}

/** Aligns decimal points. */
function alignDecimals(texts: readonly string[]): string[] {
  const decimals = texts.map((text) => {
    const point = /^[-+.\d]/.test(text) ? text.search(/[.e]/i) : -1
    return point < 0 ? -1 : text.length - point - 1
  })
  const most = decimals.reduce((found, each) => Math.max(found, each), -1)
  if (most * texts.length > MAX_CHARACTERS) throw tableTooLarge()
  return texts.map((text, index) => text + ' '.repeat(most - (decimals[index] ?? -1)))
}

function hasValue(row: Readonly<Record<string, unknown>>): boolean {
  return Object.values(row).some((value) => value !== null && value !== undefined)
}

function pad(text: string, { width, numeric }: Column): string {
  const gap = ' '.repeat(Math.max(0, width - textWidth(text)))
  return numeric ? gap + text : text + gap
}

/** Counts characters, not UTF-16 code units. */
function textWidth(text: string): number {
  return text.replaceAll(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g, '_').length
}
