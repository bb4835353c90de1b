import {
  equalJson,
  escapeSegment,
  isPlainObject,
  type JsonObject,
  type JsonValue,
} from '../json.ts'

/** A location with its new value; without one, the location is removed. */
export interface DataDifference {
  readonly path: string
  readonly value?: JsonValue
}

/**
 * The differences between two data models: the deepest location of each changed value, or the whole
 * array if its length changed.
 */
export function diffDataV09(before: JsonObject, after: JsonObject): DataDifference[] {
  const found: DataDifference[] = []
  compareObjects(before, after, { path: '', depth: 0, found })
  return found
}

interface Walk {
  readonly path: string
  readonly depth: number
  readonly found: DataDifference[]
}

/** Maximum segments of a path. */
const MAX_DEPTH = 32

function compare(before: JsonValue, after: JsonValue, walk: Walk): void {
  if (equalJson(before, after)) return
  const { path, depth, found } = walk
  if (depth < MAX_DEPTH) {
    if (isPlainObject(before) && isPlainObject(after)) {
      compareObjects(before, after, walk)
      return
    }
    if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
      after.forEach((item, index) =>
        compare(before[index] ?? null, item, { path: `${path}/${index}`, depth: depth + 1, found }),
      )
      return
    }
  }
  found.push({ path, value: after })
}

function compareObjects(before: JsonObject, after: JsonObject, walk: Walk): void {
  const { path, depth, found } = walk
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  // No path leads to an empty key.
  const isHidden = keys.includes('') && !equalJson(before[''] ?? null, after[''] ?? null)
  if (isHidden || Object.hasOwn(before, '') !== Object.hasOwn(after, '')) {
    found.push({ path: path === '' ? '/' : path, value: after })
    return
  }
  for (const key of keys) {
    const place = `${path}/${escapeSegment(key)}`
    if (!Object.hasOwn(after, key)) found.push({ path: place })
    else if (!Object.hasOwn(before, key)) found.push({ path: place, value: after[key] ?? null })
    else compare(before[key] ?? null, after[key] ?? null, { path: place, depth: depth + 1, found })
  }
}
