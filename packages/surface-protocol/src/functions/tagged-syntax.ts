import { isPlainObject, type JsonValue } from '../json.ts'
import { isTrue } from './truth.ts'
import type { ValueSyntax } from './value-syntax.ts'

/** Version 1.0: `{"@path"}` and `{"@call", args}`; a key with a doubled `@` is data. */
export const taggedSyntax: ValueSyntax = {
  pathOf: (value) => textOf(value, '@path'),
  callOf: (value) => textOf(value, '@call'),
  isDynamic: hasTag,
  keyOf: (key) => (key.startsWith('@@') ? key.slice(1) : key),
  isTrue: isTrueOrValid,
}

function textOf(value: unknown, key: string): string | undefined {
  if (!isPlainObject(value) || !Object.hasOwn(value, key)) return undefined
  const text = value[key]
  return typeof text === 'string' ? text : undefined
}

/** Returns whether a key with `@` occurs anywhere in a value of bounded depth. */
function hasTag(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasTag)
  return Object.keys(value).some((key) => key.startsWith('@') || hasTag(value[key] ?? null))
}

/** A validation result counts as its boolean `valid`. */
function isTrueOrValid(value: JsonValue | undefined): boolean {
  if (isPlainObject(value) && typeof value.valid === 'boolean') return value.valid
  return isTrue(value)
}
