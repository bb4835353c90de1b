import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts'
import { isTrue } from './truth.ts'

/** How a version of the protocol writes values that are computed. */
export interface ValueSyntax {
  /** The path of a binding; undefined for any other value. */
  pathOf(value: unknown): string | undefined
  /** The name of the function that is called; undefined for any other value. */
  callOf(value: unknown): string | undefined
  /** Whether a value has to be computed. */
  isDynamic(value: JsonValue): boolean
  /** The key that a member of an object has as data. */
  keyOf(key: string): string
  /** Whether a value counts as true. */
  readonly isTrue: (value: JsonValue | undefined) => boolean
}

/** Version 0.9.1: `{path}` and `{call, args}`. */
export const plainSyntax: ValueSyntax = {
  pathOf: (value) => (isBinding(value) ? value.path : undefined),
  callOf: (value) => (isCall(value) ? value.call : undefined),
  isDynamic: (value) => isBinding(value) || isCall(value),
  keyOf: (key) => key,
  isTrue,
}

/** Whether an object is a binding: a path and nothing else. */
export function isBinding(value: unknown): value is { path: string } {
  return isPlainObject(value) && typeof value.path === 'string' && Object.keys(value).length === 1
}

/** Whether an object is a call of a function. */
export function isCall(value: unknown): value is { call: string; args?: JsonObject } {
  return isPlainObject(value) && typeof value.call === 'string'
}

/** Whether a value asks for the position of the item of a template (SN-40). */
export function usesIndex(value: JsonValue, syntax: ValueSyntax): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((item) => usesIndex(item, syntax))
  if (syntax.callOf(value) === '@index') return true
  return Object.values(value).some((member) => usesIndex(member, syntax))
}
