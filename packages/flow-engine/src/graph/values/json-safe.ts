import { isPlainObject } from '@x/wire'
import { formatValue } from './format-value.ts'

const MAX_DEPTH = 500

/** Returns the value itself if it is plain JSON, else the result of `formatValue`. */
export function jsonSafe(value: unknown): unknown {
  return isJsonValue(value, 0) ? value : formatValue(value)
}

/** Circular values exceed the maximum depth. */
function isJsonValue(value: unknown, depth: number): boolean {
  if (value === null || value === undefined) return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean'
  if (depth > MAX_DEPTH) return false
  if (Array.isArray(value)) return value.every((item) => isJsonValue(item, depth + 1))
  if (!isPlainObject(value)) return false
  return Object.keys(value).every((name) => {
    // Getters are not called: they might throw or return a different value the next time.
    const property = Object.getOwnPropertyDescriptor(value, name)
    return property !== undefined && 'value' in property && isJsonValue(property.value, depth + 1)
  })
}
