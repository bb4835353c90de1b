import type { StringResult } from './json-string.ts'
import { keyAhead, matchAt } from './json-tokens.ts'

const MARKS = '"""'

/**
 * A string between three quotation marks, as Python has it; `none` if it is another string or takes in what looks like
 * members.
 * @returns null if the text has to go on first
 */
export function readTriple(text: string, at: number, final: boolean): StringResult | null | 'none' {
  if (!text.startsWith(MARKS, at)) return 'none'
  const begin = at + MARKS.length
  const close = text.indexOf(MARKS, begin)
  if (close === -1) return final ? 'none' : null
  if (!final && close + MARKS.length === text.length) return null
  const raw = text.slice(begin, close)
  if (holdsMembers(raw)) return 'none'
  const result = { end: close + MARKS.length, repairs: ['triple quotes'], inner: [], cutAt: null }
  return { ...result, value: unescaped(raw) }
}

function holdsMembers(raw: string): boolean {
  for (const { index } of raw.matchAll(/[,{]/g)) {
    const space = matchAt(/\s*/y, raw, index + 1) ?? ''
    if (matchAt(keyAhead, raw, index + 1 + space.length)?.startsWith('"') === true) return true
  }
  return false
}

/** The text with the escapes of JSON; what is none stays. */
function unescaped(raw: string): string {
  const known: Readonly<Record<string, string>> = {
    n: '\n',
    t: '\t',
    r: '\r',
    '"': '"',
    '\\': '\\',
  }
  return raw.replaceAll(/\\(.)/g, (whole, char: string) => known[char] ?? whole)
}
