import { eventLoopTurn } from '@x/wire'
import { FlowError } from '../../errors.ts'

/** Maximum number of characters in a cell. */
const MAX_CELL_LENGTH = 5_000_000
/** Yields to the event loop after this many characters, or cells. */
const TURN_CHARACTERS = 1_000_000
const TURN_CELLS = 50_000
/** Number of characters examined to determine the line ending. */
const SAMPLE = 1_000_000

/**
 * Reads the cells of CSV text line by line (RFC 4180), in linear time and yielding to the event loop. Empty
 * lines are skipped. A quote inside an unquoted cell is literal, and so is a quote that does not end its
 * quoted cell.
 * @param onCells receives the next cells of a line, and whether they end the line
 * @throws FlowError `limit_exceeded` for a cell of more than 5,000,000 characters
 */
export async function readCsv(
  text: string,
  onCells: (cells: readonly string[], isLast: boolean) => void,
): Promise<void> {
  const newline = newlineOf(text)
  let cells: string[] = []
  let isBegun = false
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let comma = at - 1
  let line = at - 1
  let turned = at
  let count = 0
  const give = (isLast: boolean): void => {
    const isEmpty = isLast && !isBegun && cells.length === 1 && cells[0] === ''
    if (!isEmpty) onCells(cells, isLast)
    isBegun = !isLast
    cells = []
  }
  for (let isOver = false; !isOver;) {
    let end: Cell['end']
    if (text.charCodeAt(at) === QUOTE) {
      const cell = quotedCell(text, at, newline)
      cells.push(cell.text)
      ;({ next: at, end } = cell)
    } else {
      // Each separator is searched again only after it has been passed.
      if (comma < at) comma = indexFrom(text, ',', at)
      if (line < at) line = indexFrom(text, newline, at)
      const last = Math.min(comma, line)
      end = last === text.length ? 'text' : comma < line ? 'cell' : 'line'
      if (last - at > MAX_CELL_LENGTH) throw tooLong()
      cells.push(text.slice(at, last))
      at = end === 'line' ? last + newline.length : last + 1
    }
    isOver = end === 'text'
    if (end !== 'cell') give(true)
    count += 1
    if (count < TURN_CELLS && at - turned < TURN_CHARACTERS) continue
    if (cells.length > 0) give(false)
    await eventLoopTurn()
    turned = at
    count = 0
  }
}

const QUOTE = 0x22

interface Cell {
  readonly text: string
  /** Offset of the next cell. */
  readonly next: number
  readonly end: 'cell' | 'line' | 'text'
}

/** Finds the next occurrence of a string; the length of the text if there is none. */
function indexFrom(text: string, part: string, at: number): number {
  const found = text.indexOf(part, at)
  return found < 0 ? text.length : found
}

/** Reads a cell that starts with a quote. Without a closing quote it extends to the end of the text. */
function quotedCell(text: string, at: number, newline: string): Cell {
  const from = at + 1
  let quote = at
  for (;;) {
    quote = text.indexOf('"', quote + 1)
    if ((quote < 0 ? text.length : quote) - from > MAX_CELL_LENGTH) throw tooLong()
    if (quote < 0) return { text: text.slice(from), next: text.length, end: 'text' }
    const isLast = quote === text.length - 1
    if (!isLast && text.startsWith('"', quote + 1)) {
      quote += 1
      continue
    }
    const end = isLast
      ? { next: text.length, end: 'text' as const }
      : endAt(text, afterBlanks(text, quote + 1, newline), newline)
    if (end === undefined) continue
    return { text: text.slice(from, quote).replaceAll('""', '"'), ...end }
  }
}

const BLANKS = /\s*/y

/** Skips spaces between the closing quote and the end of the cell. */
function afterBlanks(text: string, at: number, newline: string): number {
  BLANKS.lastIndex = at
  const blanks = BLANKS.exec(text)?.[0] ?? ''
  const line = blanks.indexOf(newline)
  return at + (line < 0 ? blanks.length : line)
}

/** Returns the cell terminator at an offset, if there is one. */
function endAt(text: string, at: number, newline: string): Omit<Cell, 'text'> | undefined {
  if (text.startsWith(',', at)) return { next: at + 1, end: 'cell' }
  if (text.startsWith(newline, at)) return { next: at + newline.length, end: 'line' }
  return undefined
}

/** Returns the most frequent line ending in the first million characters, ignoring quoted text. */
function newlineOf(text: string): string {
  const sample = text.slice(0, SAMPLE).replaceAll(/"[^"]*"/g, '')
  const returns = sample.split('\r')
  const line = sample.indexOf('\n')
  const isLineFirst = line >= 0 && line < (returns[0]?.length ?? 0)
  if (returns.length === 1 || isLineFirst) return '\n'
  const both = returns.filter((each) => each.startsWith('\n')).length
  return both >= returns.length / 2 ? '\r\n' : '\r'
}

function tooLong(): FlowError {
  return new FlowError(
    'limit_exceeded',
    `A cell of the table has more than ${MAX_CELL_LENGTH} characters`,
  )
}
