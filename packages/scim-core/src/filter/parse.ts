import { InvalidFilterError, shown } from '../errors.ts'
import type { FilterAst, PathAst } from './ast.ts'
import type { CompareOperator } from './resolved.ts'
import {
  skipSpace,
  take,
  takeName,
  takeString,
  takeWord,
  unexpected,
  type Scanner,
} from './scanner.ts'

/** Bounds of a filter and which tolerances apply; defaults as in the `limits` option. */
export interface FilterLimits {
  /** Characters; 4096 by default. */
  readonly filterLength?: number
  /** Comparisons; 64 by default. */
  readonly filterTerms?: number
  /** Nested parentheses and brackets; 32 by default. */
  readonly filterDepth?: number
  /** Unquoted words as string literals (quirk `bareFilterValues`); default true. */
  readonly bareFilterValues?: boolean
  /** `attr[filter].sub op value` (quirk `valuePathSub`); default true. */
  readonly valuePathSub?: boolean
}

interface Reader extends Scanner {
  readonly limits: Required<FilterLimits>
  terms: number
  depth: number
  inBrackets: boolean
}

const NO_LIMITS: FilterLimits = {}

const OPERATORS: ReadonlyMap<string, CompareOperator> = new Map(
  (['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const).map((name) => [name, name]),
)
const BARE = /^[a-z0-9._@+:-]+$/i
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

/**
 * Reads a filter (RFC 7644 section 3.4.2.2, grammar of section 8 of the specification) in one pass.
 * @throws InvalidFilterError with the position of the error
 */
export function parseFilter(text: string, limits: FilterLimits = NO_LIMITS): FilterAst {
  const reader = createReader(text, limits)
  skipSpace(reader)
  if (reader.position === text.length) throw new InvalidFilterError('The filter is empty.')
  const filter = parseOr(reader)
  skipSpace(reader)
  if (reader.position < text.length) throw unexpected(reader, '"and", "or" or the end')
  return filter
}

/** Reads the path at the start of `text`; what follows it starts at `end`. */
export function parsePathAst(
  text: string,
  limits: FilterLimits = NO_LIMITS,
): { readonly path: PathAst; readonly end: number } {
  const reader = createReader(text, limits)
  const path = parsePath(reader)
  return { path, end: reader.position }
}

const DEFAULTS: Required<FilterLimits> = {
  filterLength: 4_096,
  filterTerms: 64,
  filterDepth: 32,
  bareFilterValues: true,
  valuePathSub: true,
}

function createReader(text: string, limits: FilterLimits): Reader {
  const all = limits === NO_LIMITS ? DEFAULTS : completed(limits)
  if (text.length > all.filterLength) {
    throw new InvalidFilterError(
      `The filter is longer than ${all.filterLength} characters.`,
      all.filterLength,
    )
  }
  return { text, position: 0, limits: all, terms: 0, depth: 0, inBrackets: false }
}

function completed(limits: FilterLimits): Required<FilterLimits> {
  return {
    filterLength: limits.filterLength ?? DEFAULTS.filterLength,
    filterTerms: limits.filterTerms ?? DEFAULTS.filterTerms,
    filterDepth: limits.filterDepth ?? DEFAULTS.filterDepth,
    bareFilterValues: limits.bareFilterValues ?? DEFAULTS.bareFilterValues,
    valuePathSub: limits.valuePathSub ?? DEFAULTS.valuePathSub,
  }
}

function parseOr(reader: Reader): FilterAst {
  return parseSeries(reader, 'or', parseAnd)
}

function parseAnd(reader: Reader): FilterAst {
  return parseSeries(reader, 'and', parseUnit)
}

function parseSeries(
  reader: Reader,
  kind: 'and' | 'or',
  parseTerm: (reader: Reader) => FilterAst,
): FilterAst {
  const first = parseTerm(reader)
  if (!takeConnector(reader, kind)) return first
  const terms = [first]
  do terms.push(parseTerm(reader))
  while (takeConnector(reader, kind))
  return { kind, terms }
}

/** Takes ` and ` or ` or ` when it comes next. */
function takeConnector(reader: Reader, word: 'and' | 'or'): boolean {
  const start = reader.position
  if (start === reader.text.length || !skipSpace(reader)) return false
  if (takeWordOf(reader, word) && skipSpace(reader)) return true
  reader.position = start
  return false
}

/** Takes a word in any case when it comes next. */
function takeWordOf(reader: Reader, word: 'and' | 'or' | 'not'): boolean {
  const { text, position } = reader
  for (let i = 0; i < word.length; i += 1) {
    // Setting this bit makes an ASCII letter lower-case.
    if ((text.charCodeAt(position + i) | 32) !== word.charCodeAt(i)) return false
  }
  reader.position = position + word.length
  return true
}

/** `not (...)`, `(...)` or an expression. */
function parseUnit(reader: Reader): FilterAst {
  const start = reader.position
  if (reader.text.charAt(start) === '(') return parseGroup(reader)
  if (takeWordOf(reader, 'not')) {
    skipSpace(reader)
    if (reader.text.charAt(reader.position) === '(') {
      return { kind: 'not', term: parseGroup(reader) }
    }
    reader.position = start
  }
  return parseExpression(reader)
}

function parseGroup(reader: Reader): FilterAst {
  take(reader, '(')
  const filter = nested(reader, parseOr)
  skipSpace(reader)
  if (!take(reader, ')')) throw unexpected(reader, '")"')
  return filter
}

function nested(reader: Reader, parse: (reader: Reader) => FilterAst): FilterAst {
  reader.depth += 1
  if (reader.depth > reader.limits.filterDepth) {
    throw new InvalidFilterError(
      `The filter is nested deeper than ${reader.limits.filterDepth} levels.`,
      reader.position,
    )
  }
  skipSpace(reader)
  const filter = parse(reader)
  reader.depth -= 1
  return filter
}

function parseExpression(reader: Reader): FilterAst {
  reader.terms += 1
  if (reader.terms > reader.limits.filterTerms) {
    throw new InvalidFilterError(
      `The filter has more than ${reader.limits.filterTerms} comparisons.`,
      reader.position,
    )
  }
  const path = parsePath(reader)
  if (path.where !== null && path.sub === null) return { kind: 'element', path }
  if (path.where !== null && !reader.limits.valuePathSub) {
    throw unexpected(reader, 'the end of the value filter')
  }
  if (!skipSpace(reader)) throw unexpected(reader, 'an operator')
  const at = reader.position
  const word = takeName(reader)
  if (word === 'pr' || word.toLowerCase() === 'pr') return { kind: 'present', path }
  const operator = OPERATORS.get(word) ?? OPERATORS.get(word.toLowerCase())
  if (operator === undefined) {
    throw new InvalidFilterError(`"${shown(word)}" is not a filter operator.`, at)
  }
  if (!skipSpace(reader)) throw unexpected(reader, 'a value')
  return { kind: 'compare', path, operator, value: parseValue(reader) }
}

function parsePath(reader: Reader): PathAst {
  const at = reader.position
  const base = splitName(takeName(reader))
  if (base === undefined) {
    reader.position = at
    throw unexpected(reader, 'an attribute name')
  }
  if (reader.text.charAt(reader.position) !== '[') return base
  if (reader.inBrackets) throw unexpected(reader, 'no further "["')
  reader.position += 1
  reader.inBrackets = true
  const where = nested(reader, parseOr)
  reader.inBrackets = false
  skipSpace(reader)
  if (!take(reader, ']')) throw unexpected(reader, '"]"')
  if (base.sub !== null) {
    throw new InvalidFilterError(
      'A value filter stands behind an attribute, not behind a sub-attribute.',
      at,
    )
  }
  const { urn, name } = base
  return { urn, name, sub: take(reader, '.') ? parseSub(reader) : null, where }
}

function parseSub(reader: Reader): string {
  const at = reader.position
  const sub = takeName(reader)
  if (isName(sub)) return sub
  reader.position = at
  throw unexpected(reader, 'the name of a sub-attribute')
}

/** `urn:...:name.sub` in its parts; a text that can only be a URN has no name. */
function splitName(text: string): PathAst | undefined {
  const colon = text.lastIndexOf(':')
  if (colon === -1) return splitPlain(text, null)
  if (!/^urn:/i.test(text)) return undefined
  return (
    splitPlain(text.slice(colon + 1), text.slice(0, colon)) ?? {
      urn: text,
      name: '',
      sub: null,
      where: null,
    }
  )
}

function splitPlain(text: string, urn: string | null): PathAst | undefined {
  const dot = text.indexOf('.')
  if (dot === -1) return isName(text) ? { urn, name: text, sub: null, where: null } : undefined
  const name = text.slice(0, dot)
  const sub = text.slice(dot + 1)
  return isName(name) && isName(sub) ? { urn, name, sub, where: null } : undefined
}

/** Letters, digits, `_` and `-` behind a letter or `$`. */
function isName(text: string): boolean {
  const first = text.charCodeAt(0)
  if (!isLetter(first) && first !== 36) return false
  for (let i = 1; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    const inner = isLetter(code) || (code >= 48 && code <= 57) || code === 95 || code === 45
    if (!inner) return false
  }
  return true
}

function isLetter(code: number): boolean {
  const lower = code | 32
  return lower >= 97 && lower <= 122
}

function parseValue(reader: Reader): string | number | boolean | null {
  if (reader.text.charAt(reader.position) === '"') return takeString(reader)
  const at = reader.position
  const word = takeWord(reader)
  switch (word.toLowerCase()) {
    case 'true':
      return true
    case 'false':
      return false
    case 'null':
      return null
  }
  // Adding 0 turns -0 into 0, which is how it is written back.
  if (NUMBER.test(word) && Number.isFinite(Number(word))) return Number(word) + 0
  if (reader.limits.bareFilterValues && BARE.test(word)) return word
  reader.position = at
  throw unexpected(reader, 'a value')
}
