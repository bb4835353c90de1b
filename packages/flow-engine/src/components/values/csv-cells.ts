import { eventLoopTurn } from '@x/wire'
import { FlowError } from '../../errors.ts'

/** Characters of one cell. */
const LONGEST_CELL = 5_000_000
/** Characters, and cells, behind which others have their turn. */
const TURN_CHARACTERS = 1_000_000
const TURN_CELLS = 50_000
/** Characters that tell how lines end. */
const SAMPLE = 1_000_000

/**
 * Gives the cells of a CSV text line by line (RFC 4180), in time linear in the text and with turns for others.
 * Empty lines are left out. A quote inside an unquoted cell is a character; one that ends no quoted cell too.
 * @param onCells takes the next cells of a line, and whether the line ends with them
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
      // Looked for once each: only what was passed is looked for again.
      if (comma < at) comma = indexFrom(text, ',', at)
      if (line < at) line = indexFrom(text, newline, at)
      const last = Math.min(comma, line)
      end = last === text.length ? 'text' : comma < line ? 'cell' : 'line'
      if (last - at > LONGEST_CELL) throw tooLong()
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
  /** Where the next one begins. */
  readonly next: number
  readonly end: 'cell' | 'line' | 'text'
}

/** Where a string stands next; the length of the text when it does not. */
function indexFrom(text: string, part: string, at: number): number {
  const found = text.indexOf(part, at)
  return found < 0 ? text.length : found
}

/** A cell that begins with a quote: without one that ends it, it reaches to the end of the text. */
function quotedCell(text: string, at: number, newline: string): Cell {
  const from = at + 1
  let quote = at
  for (;;) {
    quote = text.indexOf('"', quote + 1)
    if ((quote < 0 ? text.length : quote) - from > LONGEST_CELL) throw tooLong()
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

/** Blanks may stand between a quote and what ends the cell. */
function afterBlanks(text: string, at: number, newline: string): number {
  BLANKS.lastIndex = at
  const blanks = BLANKS.exec(text)?.[0] ?? ''
  const line = blanks.indexOf(newline)
  return at + (line < 0 ? blanks.length : line)
}

/** What ends a cell at a place, if anything does. */
function endAt(text: string, at: number, newline: string): Omit<Cell, 'text'> | undefined {
  if (text.startsWith(',', at)) return { next: at + 1, end: 'cell' }
  if (text.startsWith(newline, at)) return { next: at + newline.length, end: 'line' }
  return undefined
}

/** How the lines of a text end: as most of those in its first million characters, quoted ones left out. */
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
    `A cell of the table has more than ${LONGEST_CELL} characters`,
  )
}
