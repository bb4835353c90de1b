import type { JsonValue } from '../json.ts'

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/
const oddNumber = /^[-+]?(?:(?:0|[1-9]\d*)\.?|(?:0|[1-9]\d*)?\.\d+)(?:[eE][-+]?\d+)?$/
const literals: ReadonlyMap<string, Scalar> = new Map([
  ['true', { value: true, repair: '' }],
  ['false', { value: false, repair: '' }],
  ['null', { value: null, repair: '' }],
  ['True', { value: true, repair: 'python literal' }],
  ['False', { value: false, repair: 'python literal' }],
  ['None', { value: null, repair: 'python literal' }],
])

/** A literal or number, and the repair it needed; '' if it is JSON. */
export interface Scalar {
  readonly value: JsonValue
  readonly repair: string
}

/** True if a word is a literal, which no further character can change. */
export function isLiteral(word: string): boolean {
  return literals.has(word)
}

/** Reads a literal or a number as models write them; null for any other word. */
export function readScalar(word: string): Scalar | null {
  const literal = literals.get(word)
  if (literal !== undefined) return literal
  if (number.test(word)) return { value: Number(word), repair: '' }
  return oddNumber.test(word) ? { value: Number(word), repair: 'number form' } : null
}
