import { setOwn } from '@x/wire'
import { CHARACTER_BYTES, longestText } from './event-size.ts'
import type { RunLimits } from '../plan/limits.ts'
import type { JsonValue } from '../values/format-value.ts'

/** `"..."` including its quotes; null, false, {} and [] are no longer than that. */
const MIN_BYTES = 5
/** Quotes, colon and comma. */
const KEY_BYTES = 4
/** Including its comma. */
const ITEM_BYTES = MIN_BYTES + 1

export type CutLimits = Pick<RunLimits, 'textLength' | 'items' | 'eventBytes'>

/**
 * Truncates strings and arrays for `end_vertex`; keys are never truncated. Returns the same
 * object if nothing needs truncation.
 */
export function cutJson(value: JsonValue, limits: CutLimits): JsonValue {
  return createCutter(limits)(value)
}

/**
 * Creates a truncating function whose results, summed over all calls, fit one event of `eventBytes`: strings that do not fit become "...", numbers null, arrays and objects empty.
 * @param reserved bytes of the event besides the values; its keys and short values are reserved anyway
 */
export function createCutter(limits: CutLimits, reserved = 0): (value: JsonValue) => JsonValue {
  let left = longestText(limits.eventBytes) * CHARACTER_BYTES - reserved
  const pay = (bytes: number): boolean => {
    if (bytes > left) return false
    left -= bytes
    return true
  }
  // The enclosing array or object has reserved the minimum size of this value.
  const cut = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') {
      const text = cutText(value, limits.textLength)
      return pay(text.length * CHARACTER_BYTES) ? text : '...'
    }
    if (typeof value === 'number') return pay(String(value).length) ? value : null
    if (typeof value !== 'object' || value === null) return value
    return isList(value) ? cutList(value) : cutFields(value)
  }
  const cutFields = (value: Readonly<Record<string, JsonValue>>): JsonValue => {
    const keys = Object.keys(value)
    let bytes = 0
    for (const key of keys) bytes += key.length * CHARACTER_BYTES + KEY_BYTES + MIN_BYTES
    if (!pay(bytes)) return {}
    let copy: Record<string, JsonValue> | undefined
    for (const key of keys) {
      const item = value[key] ?? null
      const kept = cut(item)
      if (kept === item) continue
      copy ??= { ...value }
      setOwn(copy, key, kept)
    }
    return copy ?? value
  }
  const cutList = (list: readonly JsonValue[]): JsonValue => {
    if (list.length > limits.items) {
      const note = `... [truncated ${list.length - limits.items} items]`
      if (!pay(limits.items * ITEM_BYTES + note.length + 2)) return []
      const kept: JsonValue[] = list.slice(0, limits.items).map(cut)
      kept.push(note)
      return kept
    }
    if (!pay(list.length * ITEM_BYTES)) return []
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
