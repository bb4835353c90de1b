import type { RunLimits } from './limits.ts'
import type { JsonValue } from './values/format-value.ts'
import { setField } from './values/set-field.ts'

export type CutLimits = Pick<RunLimits, 'textLength' | 'items' | 'eventBytes'>

/** Cuts texts and lists for `end_vertex` (results.md 6); keys stay whole. */
export function cutJson(value: JsonValue, limits: CutLimits): JsonValue {
  return createCutter(limits)(value)
}

/** A cutter that lets no more than `eventBytes` through over all of its calls. */
export function createCutter(limits: CutLimits): (value: JsonValue) => JsonValue {
  // A character takes up to six bytes when it is escaped.
  let left = limits.eventBytes / 6
  const cut = (value: JsonValue): JsonValue => {
    left -= 1
    if (typeof value === 'string') {
      const text = cutText(value, limits.textLength)
      left -= text.length
      return left < 0 ? '...' : text
    }
    if (typeof value !== 'object' || value === null) return value
    if (isList(value)) return cutList(value)
    const fields: Record<string, JsonValue> = {}
    if (left < 0) return fields
    for (const [key, item] of Object.entries(value)) {
      left -= key.length
      setField(fields, key, cut(item))
    }
    return fields
  }
  const cutList = (list: readonly JsonValue[]): JsonValue => {
    if (list.length <= limits.items) return left < 0 ? [] : list.map(cut)
    const kept: JsonValue[] = list.slice(0, limits.items).map(cut)
    kept.push(`... [truncated ${list.length - limits.items} items]`)
    return kept
  }
  return cut
}

export function cutText(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value)
}
