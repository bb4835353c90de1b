import type { RunLimits } from './limits.ts'
import type { JsonValue } from './values/format-value.ts'
import { setField } from './values/set-field.ts'

export type CutLimits = Pick<RunLimits, 'textLength' | 'items' | 'eventBytes'>

/**
 * Cuts texts and lists for `end_vertex` (results.md 6); keys stay whole. What needs no cut is given
 * back itself.
 */
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
    return left < 0 ? {} : cutFields(value)
  }
  const cutFields = (value: Readonly<Record<string, JsonValue>>): JsonValue => {
    let copy: Record<string, JsonValue> | undefined
    for (const key of Object.keys(value)) {
      left -= key.length
      const item = value[key] ?? null
      const kept = cut(item)
      if (kept === item) continue
      copy ??= { ...value }
      setField(copy, key, kept)
    }
    return copy ?? value
  }
  const cutList = (list: readonly JsonValue[]): JsonValue => {
    if (list.length > limits.items) {
      const kept: JsonValue[] = list.slice(0, limits.items).map(cut)
      kept.push(`... [truncated ${list.length - limits.items} items]`)
      return kept
    }
    if (left < 0) return []
    let copy: JsonValue[] | undefined
    for (const [index, item] of list.entries()) {
      const kept = cut(item)
      if (kept === item) continue
      copy ??= [...list]
      copy[index] = kept
    }
    return copy ?? list
  }
  return cut
}

export function cutText(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value)
}
