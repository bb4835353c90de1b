import type { BoundKind } from './slot.ts'

/** Kinds of literals in a bound value. */
export type LiteralKind = Exclude<BoundKind, 'any'>

/** The kind of each literal, by its key in a bound value. */
export const literalKinds: ReadonlyMap<string, LiteralKind> = new Map([
  ['literalString', 'string'],
  ['literalNumber', 'number'],
  ['literalBoolean', 'boolean'],
  ['literalArray', 'stringArray'],
])

/** Returns whether a value is a literal of this kind. */
export function isLiteral(value: unknown, kind: LiteralKind): boolean {
  if (kind === 'stringArray') {
    return Array.isArray(value) && value.every((item) => typeof item === 'string')
  }
  return kind === 'number' ? Number.isFinite(value) : typeof value === kind
}

/** Describes the type required by each kind of literal. */
export const literalWords: Readonly<Record<LiteralKind, string>> = {
  string: 'a string',
  number: 'a finite number',
  boolean: 'a boolean',
  stringArray: 'a list of strings',
}
