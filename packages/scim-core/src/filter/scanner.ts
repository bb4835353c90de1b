import { InvalidFilterError } from '../base/errors.ts'
import type { PathAst } from './ast.ts'

const SPACE = 32
const QUOTE = 34
const DOT = 46
const BACKSLASH = 92

/** Character classes in a path; any other character ends it. */
const END = 0
const LETTER = 1
/** Digits, `_` and `-`, which cannot start a name. */
const INNER = 2
/** `$`, which can only start a name. */
const DOLLAR = 3
const SEPARATOR = 4
const COLON = 5
/** `%`, `+` and `~`, which only occur in URNs. */
const URN_ONLY = 6

const KINDS = tableOf([
  ['abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', LETTER],
  ['0123456789_-', INNER],
  ['$', DOLLAR],
  ['.', SEPARATOR],
  [':', COLON],
  ['%+~', URN_ONLY],
])

/** Characters that end an unquoted value, and those it may contain (quirk `bareFilterValues`). */
const BARE = tableOf([['abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@+:-', 1]])
const STOP = tableOf([['"()[] \u007f', 1]])
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** A position in a text, advanced while it is read. */
export interface Scanner {
  readonly text: string
  position: number
}

/** Skips white space; returns whether there was any. */
export function skipSpace(scanner: Scanner): boolean {
  const { text, position } = scanner
  let end = position
  while (end < text.length && text.charCodeAt(end) === SPACE) end += 1
  scanner.position = end
  return end > position
}

/** The code of the next character; 0 at the end. */
export function nextCode({ text, position }: Scanner): number {
  return position < text.length ? text.charCodeAt(position) : 0
}

/** Consumes a character if it comes next. */
export function take(scanner: Scanner, code: number): boolean {
  if (nextCode(scanner) !== code) return false
  scanner.position += 1
  return true
}

/** Consumes characters of attribute names and URNs; may be empty. */
export function takeName(scanner: Scanner): string {
  const { text, position } = scanner
  let end = position
  while (end < text.length && lookUp(KINDS, text.charCodeAt(end)) !== END) end += 1
  scanner.position = end
  return text.slice(position, end)
}

/** Returns whether the character at an index continues a name. */
export function isInName(text: string, index: number): boolean {
  return index < text.length && lookUp(KINDS, text.charCodeAt(index)) !== END
}

/**
 * Consumes `name.sub` or `urn:...:name.sub`; a path that can only be a URN has no name.
 * @returns undefined without consuming anything if no path comes next
 */
export function takePath(scanner: Scanner): PathAst | undefined {
  const { text, position } = scanner
  let colon = -1
  let dot = -1
  // Start of the current name or sub-attribute; true while everything since the last colon is names.
  let part = position
  let named = true
  let end = position
  for (; end < text.length; end += 1) {
    const kind = lookUp(KINDS, text.charCodeAt(end))
    if (kind === LETTER) continue
    if (kind === END) break
    if (kind === INNER) named &&= end > part
    else if (kind === DOLLAR) named &&= end === part
    else if (kind === URN_ONLY) named = false
    else if (kind === COLON) {
      colon = end
      dot = -1
      named = true
      part = end + 1
    } else {
      named &&= end > part && dot === -1
      dot = dot === -1 ? end : dot
      part = end + 1
    }
  }
  named &&= end > part
  if (colon === -1 ? !named : !startsUrn(text, position)) return undefined
  scanner.position = end
  if (!named) return { urn: text.slice(position, end), name: '', sub: null, where: null }
  const start = colon === -1 ? position : colon + 1
  return {
    urn: colon === -1 ? null : text.slice(position, colon),
    name: text.slice(start, dot === -1 ? end : dot),
    sub: dot === -1 ? null : text.slice(dot + 1, end),
    where: null,
  }
}

/** Consumes `.sub` if it comes next; null without a dot, undefined if no name follows it. */
export function takeSub(scanner: Scanner): string | null | undefined {
  if (!take(scanner, DOT)) return null
  const start = scanner.position
  const path = takePath(scanner)
  if (path !== undefined && path.urn === null && path.sub === null) return path.name
  scanner.position = start
  return undefined
}

/**
 * Consumes a JSON string, number, `true`, `false` or `null` in any case, or a bare word.
 * @returns undefined without consuming anything if no value comes next
 */
export function takeValue(
  scanner: Scanner,
  bareWords: boolean,
): string | number | boolean | null | undefined {
  const { text, position } = scanner
  const first = nextCode(scanner)
  if (first === QUOTE) return takeString(scanner)
  let end = position
  while (end < text.length && lookUp(BARE, text.charCodeAt(end)) === 1) end += 1
  if (end === position || !isStop(text, end)) return undefined
  const word = text.slice(position, end)
  const value = literalOf(word, first)
  if (value === undefined && !bareWords) return undefined
  scanner.position = end
  return value === undefined ? word : value
}

/** The error for unexpected input. The input is not included, as it may be a literal. */
export function unexpected({ position }: Scanner, wanted: string): InvalidFilterError {
  return new InvalidFilterError(`Expected ${wanted} at position ${position}.`, position)
}

function startsUrn(text: string, start: number): boolean {
  return text.slice(start, start + 4).toLowerCase() === 'urn:'
}

function isStop(text: string, index: number): boolean {
  if (index === text.length) return true
  const code = text.charCodeAt(index)
  return code < SPACE || lookUp(STOP, code) === 1
}

function literalOf(word: string, first: number): number | boolean | null | undefined {
  const isNumeric = first < 58 && NUMBER.test(word)
  // Adding 0 converts -0 to 0, as it will be formatted.
  if (isNumeric) return Number.isFinite(Number(word)) ? Number(word) + 0 : undefined
  if (word.length !== 4 && word.length !== 5) return undefined
  const lower = word.toLowerCase()
  if (lower === 'null') return null
  if (lower === 'true') return true
  return lower === 'false' ? false : undefined
}

/** Consumes the JSON string that starts here. */
function takeString(scanner: Scanner): string {
  const { text, position } = scanner
  for (let end = position + 1; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code === QUOTE) {
      scanner.position = end + 1
      return text.slice(position + 1, end)
    }
    if (code === BACKSLASH || code < SPACE) return takeEscaped(scanner, end)
  }
  throw notClosed(position)
}

/** Consumes a string with a character at `special` that is left to JSON.parse to accept or reject. */
function takeEscaped(scanner: Scanner, special: number): string {
  const { text, position } = scanner
  let end = special
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code === QUOTE) break
    if (code === BACKSLASH) end += 1
  }
  if (end >= text.length) throw notClosed(position)
  scanner.position = end + 1
  try {
    return String(JSON.parse(text.slice(position, end + 1)))
  } catch {
    throw new InvalidFilterError(
      `The string at position ${position} is not a JSON string.`,
      position,
    )
  }
}

function notClosed(position: number): InvalidFilterError {
  return new InvalidFilterError('A string is not closed.', position)
}

function lookUp(table: Uint8Array, code: number): number {
  return code < 128 ? (table[code] ?? END) : END
}

function tableOf(entries: readonly (readonly [characters: string, kind: number])[]): Uint8Array {
  const table = new Uint8Array(128)
  for (const [characters, kind] of entries) {
    for (const character of characters) table[character.charCodeAt(0)] = kind
  }
  return table
}
