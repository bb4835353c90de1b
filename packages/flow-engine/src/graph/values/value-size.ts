import { isPlainObject } from '@x/wire'
import { createWorkBudget, finish, finishSoon, type CooperativeWork } from '@x/wire'
import { isData } from './data.ts'
import { isDataFrame } from './data-frame.ts'
import { isMessage } from './message.ts'

/** Parts of an object that are counted before yielding to the event loop. */
const PART = 10_000
/** Names of keys up to this length are not counted. */
const SHORT_NAME = 64

/**
 * Size of a value's strings (two bytes for each UTF-16 code unit) and binary data. Long names count like
 * texts, because a table repeats the names of its columns in each row.
 */
export function valueBytes(value: unknown, limit = Number.POSITIVE_INFINITY): number {
  return typeof value === 'object' && value !== null ? finish(count(value, limit)) : bytesOf(value)
}

/** Like `valueBytes`; a promise for a large value, which is counted over several turns of the event loop. */
export function valueBytesSoon(value: unknown, limit: number): number | Promise<number> {
  return typeof value === 'object' && value !== null
    ? finishSoon(count(value, limit))
    : bytesOf(value)
}

/** True for a value nested deeper than this many objects and lists. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return finish(count(value, Number.POSITIVE_INFINITY, levels)) === Number.POSITIVE_INFINITY
}

const bytesOf = (value: unknown): number => (typeof value === 'string' ? value.length * 2 : 8)

/** Infinity if the value has more levels. */
function* count(
  value: object,
  limit: number,
  levels = Number.POSITIVE_INFINITY,
): CooperativeWork<number> {
  const seen = new Set<object>()
  const step = createWorkBudget()
  let level: object[] = [value]
  let bytes = 0
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return Number.POSITIVE_INFINITY
    const below: object[] = []
    for (const item of level) {
      if (bytes > limit) return bytes
      if (seen.has(item)) continue
      seen.add(item)
      if (ArrayBuffer.isView(item) || item instanceof ArrayBuffer) {
        bytes += item.byteLength
        continue
      }
      const parts = partsOf(item)
      const names = parts === undefined ? Object.keys(item) : []
      let done = 0
      for (const part of parts ?? names) {
        let held: unknown = part
        if (parts === undefined) {
          const name = part as string
          if (name.length > SHORT_NAME) bytes += name.length * 2
          // Does not call getters, because they may throw.
          held = Object.getOwnPropertyDescriptor(item, name)?.value
        }
        if (typeof held === 'object' && held !== null) below.push(held)
        else bytes += bytesOf(held)
        done += 1
        if (done % PART === 0 && step(PART)) yield
      }
      if (step(1 + (done % PART))) yield
    }
    level = below
  }
  return bytes
}

/** The parts of an object that are counted; instances of unknown classes are opaque. Undefined for plain ones. */
function partsOf(item: object): Iterable<unknown> | undefined {
  if (isMessage(item)) return [item.text, item.data, item.files, item.contentBlocks]
  if (isData(item)) return [item.data, item.textKey, item.defaultValue]
  if (isDataFrame(item)) return item.rows
  if (Array.isArray(item)) return item
  if (item instanceof Map || item instanceof Set) return item.values()
  return isPlainObject(item) ? undefined : []
}
