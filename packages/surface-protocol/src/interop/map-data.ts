import { isPlainObject, ownValue, setOwn, type JsonObject, type JsonValue } from '../json.ts'

/** Sets a location of data as version 0.8 holds them: arrays are maps with decimal keys, null removes. */
export function setAt(
  surface: { data: JsonObject },
  segments: readonly string[],
  value: JsonValue,
): void {
  if (segments.length === 0) {
    surface.data = isPlainObject(value) ? toMaps(value) : {}
    return
  }
  let container = surface.data
  for (const segment of segments.slice(0, -1)) {
    const next = ownValue(container, segment)
    const made: JsonObject = isPlainObject(next) ? (next as JsonObject) : {}
    setOwn(container, segment, made)
    container = made
  }
  const key = segments.at(-1) ?? ''
  if (value === null) delete container[key]
  else setOwn(container, key, toMap(value))
}

/** Converts arrays to maps with decimal keys, in order. */
function toMap(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (!Array.isArray(value)) return toMaps(value)
  return toMaps(Object.fromEntries(value.map((item, index) => [String(index), item])))
}

function toMaps(value: JsonObject): JsonObject {
  const result: JsonObject = {}
  for (const [key, item] of Object.entries(value))
    if (item !== null) setOwn(result, key, toMap(item))
  return result
}

/** The value at a location; an empty object if there is none. */
export function valueAt(data: JsonObject, segments: readonly string[]): JsonValue {
  let value: unknown = data
  for (const segment of segments)
    value = isPlainObject(value) ? ownValue(value, segment) : undefined
  return (value ?? {}) as JsonValue
}

/** Returns whether null occurs anywhere in a value of bounded depth. */
export function holdsNull(value: unknown): boolean {
  if (typeof value !== 'object') return false
  return value === null || Object.values(value).some(holdsNull)
}
