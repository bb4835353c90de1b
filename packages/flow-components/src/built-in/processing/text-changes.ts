import { eventLoopTurn } from '@x/wire'
import { createWorkBudget } from '@x/wire'
import { createDataFrame, type DataFrame } from '@x/flow-engine'
import type { Row } from '@x/flow-engine/internal'
import { linearPattern } from '@x/flow-engine/internal'
import { parseNumberText } from '@x/flow-engine/internal'
import { checkCells } from '@x/flow-engine/internal'

export interface CountOptions {
  readonly words: boolean
  readonly characters: boolean
  readonly lines: boolean
}

/** Counts characters by code point; blank text has zero counts. */
export function countText(text: string, options: CountOptions): Record<string, number> {
  const counted = text.trim() === '' ? '' : text
  const words = counted.split(/\s+/u).filter((word) => word !== '')
  const lines = counted === '' ? [] : counted.split('\n')
  return {
    ...(options.words ? { word_count: words.length, unique_words: new Set(words).size } : {}),
    ...(options.characters
      ? {
          character_count: lengthOf(counted),
          character_count_no_spaces: lengthOf(counted.replaceAll(' ', '')),
        }
      : {}),
    ...(options.lines
      ? {
          line_count: lines.length,
          non_empty_lines: lines.filter((line) => line.trim() !== '').length,
        }
      : {}),
  }
}

function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}

/** An unknown case leaves the text unchanged. */
export function changeCase(text: string, to: string): string {
  switch (to) {
    case 'uppercase':
      return text.toUpperCase()
    case 'lowercase':
      return text.toLowerCase()
    case 'title':
      return text.replaceAll(/\p{L}+/gu, capitalize)
    case 'capitalize':
      return capitalize(text)
    case 'swapcase':
      return Array.from(text, swapped).join('')
    default:
      return text
  }
}

function capitalize(text: string): string {
  const [first = '', ...rest] = text
  return first.toUpperCase() + rest.join('').toLowerCase()
}

function swapped(letter: string): string {
  const lower = letter.toLowerCase()
  return letter === lower ? letter.toUpperCase() : lower
}

export interface ReplaceOptions {
  readonly pattern: string
  readonly replacement: string
  readonly isPattern: boolean
}

/** An invalid or empty pattern leaves the text unchanged. */
export async function replaceText(
  text: string,
  { pattern, replacement, isPattern }: ReplaceOptions,
): Promise<string> {
  if (pattern === '') return text
  if (!isPattern) return replaceAll(text, pattern, replacement)
  const compiled = await linearPattern(pattern)
  return compiled === null ? text : compiled.replace(text, replacement)
}

/** Maximum number of characters that replacements may add. */
const MAX_ADDED = 10_000_000

function replaceAll(text: string, pattern: string, replacement: string): string {
  const parts = text.split(pattern)
  if ((parts.length - 1) * replacement.length > MAX_ADDED) {
    throw new TypeError(`The replacements would add more than ${MAX_ADDED} characters to the text`)
  }
  return parts.join(replacement)
}

/**
 * Returns the matches, one per line.
 * @param limit maximum number of matches; 0 or less for all
 * @throws TypeError for an invalid pattern
 */
export async function extractText(text: string, pattern: string, limit: number): Promise<string> {
  if (pattern === '') return ''
  const compiled = await linearPattern(pattern)
  if (compiled === null) {
    throw new TypeError(`Invalid regex pattern '${pattern}': not a regular expression`)
  }
  return compiled.all(text, limit > 0 ? limit : Infinity).join('\n')
}

/** Returns the first or last characters. @throws TypeError for a negative count */
export function partOfText(text: string, count: number, side: 'Start' | 'End'): string {
  if (count < 0) {
    throw new TypeError(`Characters from ${side} must be a non-negative integer, got ${count}`)
  }
  const characters = Array.from(text)
  const from = side === 'Start' ? 0 : Math.max(0, characters.length - count)
  return characters.slice(from, from + count).join('')
}

/** @param characters the characters to strip; "" for whitespace */
export function stripText(text: string, mode: string, characters: string): string {
  const set = new Set(characters)
  const isStripped = (one: string): boolean => (set.size === 0 ? /\s/u.test(one) : set.has(one))
  const all = Array.from(text)
  let [from, to] = [0, all.length]
  if (mode !== 'right') while (from < to && isStripped(all[from] ?? '')) from += 1
  if (mode !== 'left') while (to > from && isStripped(all[to - 1] ?? '')) to -= 1
  return all.slice(from, to).join('')
}

export function joinTexts(first: string, second: string): string {
  return first === '' || second === '' ? first + second : `${first}\n${second}`
}

export interface CleanOptions {
  readonly extraSpaces: boolean
  readonly specialCharacters: boolean
  readonly emptyLines: boolean
}

/**
 * First collapses spaces, then removes characters other than letters, digits, `_` and whitespace, then
 * removes empty lines.
 */
export function cleanText(text: string, options: CleanOptions): string {
  let cleaned = text
  if (options.extraSpaces) cleaned = cleaned.replaceAll(/[^\S\n]+/gu, ' ')
  if (options.specialCharacters) cleaned = cleaned.replaceAll(/[^\p{L}\p{N}_\s]/gu, '')
  if (!options.emptyLines) return cleaned
  return cleaned
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n')
}

const RULE = /^[\s:|+=-]+$/

/**
 * Parses lines of cells as a table. Columns that contain only numbers are converted.
 * @throws TypeError for a row with more or fewer cells than the header; FlowError `limit_exceeded` for more
 * than 5,000,000 cells
 */
export async function textToTable(
  text: string,
  separator: string,
  hasHeader: boolean,
): Promise<DataFrame> {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => cellsOf(line, separator))
  const [first] = lines
  if (first === undefined) return createDataFrame([], [])
  const body = hasHeader ? lines.slice(1) : lines
  const isRule = body[0]?.every((cell) => RULE.test(cell) && cell.includes('-')) === true
  const cells = hasHeader && isRule ? body.slice(1) : body
  const header = hasHeader ? first : widest(cells).map((_, at) => `col_${at}`)
  const wrong = hasHeader ? cells.findIndex((row) => row.length !== header.length) : -1
  if (wrong >= 0) {
    throw new TypeError(
      `Header mismatch: ${header.length} column(s) in header vs ${cells[wrong]?.length ?? 0} ` +
        `column(s) in data row ${wrong + 1}. Give every row as many cells as the header has.`,
    )
  }
  checkCells(cells.length, header.length)
  const step = createWorkBudget()
  const columns: unknown[][] = []
  for (const at of header.keys()) {
    columns.push(column(cells.map((row) => row[at] ?? null)))
    if (step(cells.length)) await eventLoopTurn()
  }
  const rows: Row[] = []
  for (const row of cells.keys()) {
    rows.push(Object.fromEntries(header.map((name, at) => [name, columns[at]?.[row] ?? null])))
    if (step(header.length + 1)) await eventLoopTurn()
  }
  return createDataFrame(rows, [...new Set(header)])
}

function widest(rows: readonly string[][]): readonly string[] {
  let wide: readonly string[] = []
  for (const row of rows) if (row.length > wide.length) wide = row
  return wide
}

function cellsOf(line: string, separator: string): string[] {
  if (separator === '') return [line]
  const cells = line.split(separator)
  let [from, to] = [0, cells.length]
  while (to - from > 1 && cells[from] === '') from += 1
  while (to - from > 1 && cells[to - 1] === '') to -= 1
  return cells.slice(from, to).map((cell) => cell.trim())
}

function column(cells: readonly (string | null)[]): unknown[] {
  const numbers = cells.map((cell) => (cell === null ? null : parseNumberText(cell)))
  return numbers.some((number, at) => number === null && cells[at] !== null) ? [...cells] : numbers
}
