import { isObject } from './is-object.ts'

/** An object from untrusted JSON; read its keys with `own`. */
export type PlainObject = Readonly<Record<string, unknown>>

/** Reads an own property; names such as `__proto__` are ordinary keys. */
export function own(object: PlainObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

export function ownText(object: PlainObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' ? value : undefined
}

export function ownObject(object: PlainObject, key: string): PlainObject | undefined {
  const value = own(object, key)
  return isObject(value) ? value : undefined
}

/** The strings of an array; empty for any other value. */
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
