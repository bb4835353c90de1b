import { setOwn, type JsonObject, type JsonValue } from '../json.ts'

/** Objects of a data model are maps, so that keys keep their order and are never inherited. */
export type DataMap = Map<string, DataValue>
/** A value of a data model. */
export type DataValue = string | number | boolean | null | DataValue[] | DataMap
/** A value that holds others. */
export type DataContainer = DataValue[] | DataMap

/** Returns whether a value is an object or an array. */
export function isContainer(value: DataValue | undefined): value is DataContainer {
  return typeof value === 'object' && value !== null
}

/** The member of a container for a path segment; undefined if absent. */
export function member(value: DataValue | undefined, segment: string): DataValue | undefined {
  if (value instanceof Map) return value.get(segment)
  if (!Array.isArray(value)) return undefined
  const index = arrayIndex(segment)
  return index === null ? undefined : value[index]
}

/** The value at `segments` below `value`. */
export function valueAt(
  value: DataValue | undefined,
  segments: readonly string[],
): DataValue | undefined {
  let current = value
  for (const segment of segments) {
    if (current === undefined) return undefined
    current = member(current, segment)
  }
  return current
}

/** Parses a decimal index; null for other segments. */
export function arrayIndex(segment: string): number | null {
  return /^(?:0|[1-9]\d{0,15})$/.test(segment) ? Number(segment) : null
}

/** Keys and values in order; array items by decimal index. */
export function asMap(value: DataContainer): DataMap {
  return value instanceof Map ? value : new Map(value.map((item, index) => [String(index), item]))
}

/** A plain JSON copy. */
export function toJson(value: DataValue): JsonValue {
  if (value instanceof Map) return mapToJson(value)
  return Array.isArray(value) ? value.map(toJson) : value
}

/** A plain JSON copy of a map. */
export function mapToJson(value: DataMap): JsonObject {
  const object: JsonObject = {}
  for (const [key, item] of value) setOwn(object, key, toJson(item))
  return object
}

/** Converts JSON of bounded depth to data form. */
export function fromJson(value: JsonValue): DataValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(fromJson)
  return mapFromJson(value)
}

/** Converts a JSON object of bounded depth to data form; undefined members are dropped. */
export function mapFromJson(value: JsonObject): DataMap {
  const map: DataMap = new Map()
  for (const key of Object.keys(value)) {
    const item = value[key]
    if (item !== undefined) map.set(key, fromJson(item))
  }
  return map
}

/** Compares two values, ignoring key order. */
export function equalData(a: DataValue | undefined, b: DataValue | undefined): boolean {
  if (a === b) return true
  if (a instanceof Map) {
    if (!(b instanceof Map) || a.size !== b.size) return false
    for (const [key, item] of a) if (!b.has(key) || !equalData(item, b.get(key))) return false
    return true
  }
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
  return a.every((item, index) => equalData(item, b[index]))
}
