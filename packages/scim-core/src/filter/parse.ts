import { InvalidFilterError, quoteValue } from '../base/errors.ts'
import type { FilterAst, PathAst } from './ast.ts'
import type { CompareOperator } from './resolved.ts'
import {
  isInName,
  nextCode,
  skipSpace,
  take,
  takeName,
  takePath,
  takeSub,
  takeValue,
  unexpected,
  type Scanner,
} from './scanner.ts'

/** Limits of a filter, and the tolerances that apply; defaults as in the `limits` option. */
export interface FilterLimits {
  /** Maximum characters. Default 4096. */
  readonly filterLength?: number
  /** Maximum comparisons. Default 64. */
  readonly filterTerms?: number
  /** Maximum nesting of parentheses and brackets. Default 32. */
  readonly filterDepth?: number
  /** Accept unquoted words as string literals (quirk `bareFilterValues`). Default true. */
  readonly bareFilterValues?: boolean
  /** Accept `attr[filter].sub op value` (quirk `valuePathSub`). Default true. */
  readonly valuePathSub?: boolean
}

interface Reader extends Scanner {
  readonly limits: Required<FilterLimits>
  terms: number
  depth: number
  inBrackets: boolean
}

const NO_LIMITS: FilterLimits = {}

const OPENING = 40
const CLOSING = 41
const OPENING_BRACKET = 91
const CLOSING_BRACKET = 93
/** Setting this bit converts ASCII letters to lower case and turns no other character into a letter. */
const LOWER = 32

/** The operators, keyed by their two characters. */
const OPERATORS: ReadonlyMap<number, CompareOperator> = new Map(
  (['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const).map((name) => [
    pair(name.charCodeAt(0), name.charCodeAt(1)),
    name,
  ]),
)
const PRESENT = pair(112, 114)

/**
 * Parses a filter (RFC 7644 section 3.4.2.2, grammar in section 8 of the specification) in one pass.
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

/** Parses the path at the start of `text`; the rest starts at `end`. */
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

/** `or` terms, each consisting of `and` terms. */
function parseOr(reader: Reader): FilterAst {
  const first = parseAnd(reader)
  if (!takeConnector(reader, 'or')) return first
  const terms = [first]
  do terms.push(parseAnd(reader))
  while (takeConnector(reader, 'or'))
  return { kind: 'or', terms }
}

function parseAnd(reader: Reader): FilterAst {
  const first = parseUnit(reader)
  if (!takeConnector(reader, 'and')) return first
  const terms = [first]
  do terms.push(parseUnit(reader))
  while (takeConnector(reader, 'and'))
  return { kind: 'and', terms }
}

/** Consumes ` and ` or ` or ` if it comes next. */
function takeConnector(reader: Reader, word: 'and' | 'or'): boolean {
  const start = reader.position
  if (!skipSpace(reader)) return false
  if (isNext(reader, word)) {
    reader.position += word.length
    if (skipSpace(reader)) return true
  }
  reader.position = start
  return false
}

/** Returns whether a word comes next, ignoring case. */
function isNext({ text, position }: Reader, word: 'and' | 'or' | 'not'): boolean {
  if (position + word.length > text.length) return false
  for (let i = 0; i < word.length; i += 1) {
    if ((text.charCodeAt(position + i) | LOWER) !== word.charCodeAt(i)) return false
  }
  return true
}

/** `not (...)`, `(...)` or an expression. */
function parseUnit(reader: Reader): FilterAst {
  if (nextCode(reader) === OPENING) return parseGroup(reader)
  return takeNot(reader) ? { kind: 'not', term: parseGroup(reader) } : parseExpression(reader)
}

/** Consumes `not` if a group follows. */
function takeNot(reader: Reader): boolean {
  const start = reader.position
  if (!isNext(reader, 'not')) return false
  reader.position += 3
  skipSpace(reader)
  if (nextCode(reader) === OPENING) return true
  reader.position = start
  return false
}

function parseGroup(reader: Reader): FilterAst {
  reader.position += 1
  const filter = nested(reader)
  if (!take(reader, CLOSING)) throw unexpected(reader, '")"')
  return filter
}

/** A filter in parentheses or brackets, with surrounding whitespace. */
function nested(reader: Reader): FilterAst {
  reader.depth += 1
  if (reader.depth > reader.limits.filterDepth) {
    throw new InvalidFilterError(
      `The filter is nested deeper than ${reader.limits.filterDepth} levels.`,
      reader.position,
    )
  }
  skipSpace(reader)
  const filter = parseOr(reader)
  reader.depth -= 1
  skipSpace(reader)
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
  if (path.where !== null) {
    if (path.sub === null && !isOperatorNext(reader)) return { kind: 'element', path }
    if (!reader.limits.valuePathSub) throw unexpected(reader, 'the end of the value filter')
  }
  if (!skipSpace(reader)) throw unexpected(reader, 'an operator')
  const operator = takeOperator(reader)
  if (operator === 'pr') return { kind: 'present', path }
  if (!skipSpace(reader)) throw unexpected(reader, 'a value')
  const value = takeValue(reader, reader.limits.bareFilterValues)
  if (value === undefined) throw unexpected(reader, 'a value')
  return { kind: 'compare', path, operator, value }
}

function takeOperator(reader: Reader): CompareOperator | 'pr' {
  const { position } = reader
  const operator = operatorAt(reader)
  if (operator !== undefined) {
    reader.position = position + 2
    return operator
  }
  const word = takeName(reader)
  throw new InvalidFilterError(`"${quoteValue(word)}" is not a filter operator.`, position)
}

function operatorAt({ text, position }: Reader): CompareOperator | 'pr' | undefined {
  if (position + 1 >= text.length || isInName(text, position + 2)) return undefined
  const word = pair(text.charCodeAt(position), text.charCodeAt(position + 1))
  return word === PRESENT ? 'pr' : OPERATORS.get(word)
}

/** Returns whether a comparison follows the brackets; brackets alone are valid too. */
function isOperatorNext(reader: Reader): boolean {
  const start = reader.position
  const found = skipSpace(reader) && operatorAt(reader) !== undefined
  reader.position = start
  return found
}

/** Encodes two characters as a number, letters in lower case. */
function pair(first: number, second: number): number {
  return ((first | LOWER) << 16) | (second | LOWER)
}

function parsePath(reader: Reader): PathAst {
  const at = reader.position
  const path = takePath(reader)
  if (path === undefined) throw unexpected(reader, 'an attribute name')
  return nextCode(reader) === OPENING_BRACKET ? parseValuePath(reader, path, at) : path
}

/** `[filter]` and `[filter].sub` after the path that starts at `at`. */
function parseValuePath(reader: Reader, { urn, name, sub }: PathAst, at: number): PathAst {
  if (reader.inBrackets) throw unexpected(reader, 'no further "["')
  reader.position += 1
  reader.inBrackets = true
  const where = nested(reader)
  reader.inBrackets = false
  if (!take(reader, CLOSING_BRACKET)) throw unexpected(reader, '"]"')
  if (sub !== null) {
    throw new InvalidFilterError('A value filter follows an attribute, not a sub-attribute.', at)
  }
  const behind = takeSub(reader)
  if (behind === undefined) throw unexpected(reader, 'the name of a sub-attribute')
  return { urn, name, sub: behind, where }
}
