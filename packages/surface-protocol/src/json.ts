import { isPlainObject, setOwn } from '@x/wire'

export { isPlainObject, setOwn }

/** A JSON value. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject
/** A JSON object. */
export type JsonObject = { [key: string]: JsonValue }

/** Reads an own property, never an inherited one. */
export function ownValue(object: object, key: string): unknown {
  return Object.hasOwn(object, key) ? (object as Record<string, unknown>)[key] : undefined
}

/** Removes undefined properties. */
export function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as Defined<T>
}

type Defined<T> = {
  [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name]
} & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>
}

/** A deep copy of a value known to be JSON of bounded depth. */
export function cloneJson<T>(value: T): T
export function cloneJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => cloneJson(item) as unknown)
  const copy = {}
  for (const key of Object.keys(value)) {
    const member = (value as Record<string, unknown>)[key]
    if (member !== undefined) setOwn(copy, key, cloneJson(member))
  }
  return copy
}

/** Compares two JSON values of bounded depth, ignoring key order. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false
    for (let i = 0; i < a.length; i += 1) if (!equalJson(a[i], b[i])) return false
    return true
  }
  if (Array.isArray(b)) return false
  const [left, right] = [a, b] as [Record<string, unknown>, Record<string, unknown>]
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  for (const key of keys) {
    if (!Object.hasOwn(right, key) || !equalJson(left[key], right[key])) return false
  }
  return true
}

/** Formats segments as a JSON Pointer (RFC 6901). */
export function formatPointer(segments: readonly (string | number)[]): string {
  let pointer = ''
  for (const segment of segments) {
    pointer += typeof segment === 'number' ? `/${segment}` : `/${escapeSegment(segment)}`
  }
  return pointer
}

/** Escapes a segment of a JSON Pointer. */
export function escapeSegment(segment: string): string {
  if (!segment.includes('~') && !segment.includes('/')) return segment
  return segment.replaceAll('~', '~0').replaceAll('/', '~1')
}
