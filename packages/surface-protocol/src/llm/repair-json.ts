import { SurfaceError } from '../diagnostics/errors.ts'
import type { JsonValue } from '../json.ts'
import { readJson } from './json-reader.ts'
import type { JsonReading, JsonResult } from './json-reading.ts'
import { matchAt, spaces } from './json-tokens.ts'

/** Repaired JSON, with the repairs made. */
export interface RepairedJson {
  value: JsonValue
  /** Names of the repairs without duplicates, in order of first use. */
  repairs: string[]
}

const loneSurrogate = /\p{Surrogate}|\\u[dD][89a-fA-F]/u

/** Strict JSON whose strings are well-formed; undefined for anything else. */
export function parseClean(text: string): JsonValue | undefined {
  try {
    const value = JSON.parse(text) as JsonValue
    return loneSurrogate.test(text) ? undefined : value
  } catch {
    return undefined
  }
}

/**
 * Parses JSON as written by models: trailing, missing and doubled commas, other quotation marks, comments,
 * bare keys, literals of Python, missing or superfluous brackets, and faults within strings are repaired;
 * nothing else is.
 * @throws SurfaceError `malformed_json` if that is not enough
 */
export function repairJson(text: string): RepairedJson {
  const direct = parseClean(text)
  if (direct !== undefined) return { value: direct, repairs: [] }
  const values: JsonValue[] = []
  const repairs = new Set<string>()
  let at = 0
  while (at < text.length) {
    const found = readSurely(text, { from: at, final: true })
    if (found.kind !== 'value') {
      if (values.length > 0 && isBlank(text, at)) break
      throw malformed(text, found)
    }
    values.push(found.value)
    for (const repair of found.repairs) repairs.add(repair)
    at = found.end + (matchAt(spaces, text, found.end)?.length ?? 0)
    if (text[at] === ',') {
      at += 1
      if (text.slice(at).trim() === '') repairs.add('trailing comma')
    } else if (text[at] === '}' || text[at] === ']') {
      at += matchAt(/[}\]\s]*/y, text, at)?.length ?? 1
      repairs.add('extra bracket')
    } else if (isBlank(text, at, repairs)) break
    at += matchAt(spaces, text, at)?.length ?? 0
  }
  const [first] = values
  if (first === undefined) throw malformed(text, null)
  if (values.length === 1) return { value: first, repairs: [...repairs] }
  return { value: values, repairs: [...repairs, 'missing list'] }
}

/** True if only space and comments are left. */
function isBlank(text: string, at: number, repairs?: Set<string>): boolean {
  const rest = matchAt(/(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/|#[^\n]*|<!--[^]*?-->)*/y, text, at) ?? ''
  if (at + rest.length < text.length) return false
  if (rest.trim() !== '') repairs?.add('comment')
  return true
}

/** Reads a value; one that can be read in two ways is an error (an inner quote). */
export function readSurely(text: string, reading: JsonReading): JsonResult {
  const found = readJson(text, reading)
  if (found.kind !== 'value' || found.inner.length === 0) return found
  const { inner: strings, end } = found
  const from = reading.from ?? 0
  for (const [index, at] of strings.flatMap((one) => [...one.inner.entries()])) {
    // What looks like members of an object or a list is none of a text.
    const isDoubled = index > 0 && '"\'`'.includes(text.charAt(at - 1))
    if (
      !isDoubled &&
      !/^(?:\s{0,20}[:\uff1a]|,[\p{L}\p{N}"'])/u.test(text.slice(at + 1, at + 22)) &&
      !/(?:[{[]|,[ \t]{0,20}\n)\s{0,20}$|,$/.test(text.slice(Math.max(0, at - 41), at))
    )
      continue
    const expected = "',' or '}' expected"
    return { kind: 'error', at: (strings[0]?.inner[0] ?? at) + 1, expected, isTooDeep: false, end }
  }
  // Marks that come in pairs belong together; lone ones in two strings may be the ends of one.
  const lone = strings.filter(
    ({ inner, repairs }) => inner.length % 2 === 1 && repairs.includes('inner quote'),
  )
  const [first] = lone
  if (first === undefined || lone.length < 2) return found
  const whole = { ...reading, from: 0, final: true, not: first.end - 1 - from }
  const other = readJson(text.slice(from, end), whole)
  if (other.kind !== 'value' || other.repairs.has('missing bracket')) return found
  const expected = 'two readings of a quotation mark'
  return { kind: 'error', at: first.inner[0] ?? from, expected, isTooDeep: false, end }
}

function malformed(text: string, found: JsonResult | null): SurfaceError {
  const detail =
    found?.kind === 'error'
      ? describeFault(text, { at: found.at, expected: found.expected })
      : 'The text cannot be read as JSON.'
  return new SurfaceError({ code: 'malformed_json', detail })
}

/** A fault of a text in words: where it is, what was expected, what stands there. */
export function describeFault(
  text: string,
  {
    at,
    expected,
    place,
  }: { at: number; expected: string; place?: { line: number; column: number } },
): string {
  const { line, column } = place ?? placeIn(text, at)
  const near = excerptOf(text, at).replaceAll(/\s+/g, ' ')
  return `Line ${line}, column ${column}: ${expected}. Near: …${near}…`
}

/** Line and column of a position, from 1. */
function placeIn(text: string, at: number): { line: number; column: number } {
  const lines = text.slice(0, at).split('\n')
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

/** At most 80 characters around a position, which is marked. */
export function excerptOf(text: string, at: number): string {
  return `${text.slice(Math.max(0, at - 37), at)}\u27e8here\u27e9${text.slice(at, at + 37)}`
}
