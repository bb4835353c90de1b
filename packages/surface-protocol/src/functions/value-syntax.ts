import { isPlainObject, type JsonObject, type JsonValue } from '../json.ts'
import { isTrue } from './truth.ts'

/** A version's syntax of computed values. */
export interface ValueSyntax {
  /** The path of a binding; undefined for any other value. */
  readonly pathOf: (value: unknown) => string | undefined
  /** The name of the called function; undefined for any other value. */
  callOf(value: unknown): string | undefined
  /** Returns whether a value has to be evaluated. */
  isDynamic(value: JsonValue): boolean
  /** The key of an object member as data. */
  keyOf(key: string): string
  /** Returns whether a value counts as true. */
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

/** Returns whether an object is a binding: only a path. */
export function isBinding(value: unknown): value is { path: string } {
  return isPlainObject(value) && typeof value.path === 'string' && Object.keys(value).length === 1
}

/** Returns whether an object is a function call. */
export function isCall(value: unknown): value is { call: string; args?: JsonObject } {
  return isPlainObject(value) && typeof value.call === 'string'
}

/** Returns whether a value depends on the position of a template's item. */
export function usesIndex(value: JsonValue, syntax: ValueSyntax): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((item) => usesIndex(item, syntax))
  if (syntax.callOf(value) === '@index') return true
  return Object.values(value).some((member) => usesIndex(member, syntax))
}
