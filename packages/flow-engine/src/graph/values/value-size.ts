import { isData } from './data.ts'
import { isDataFrame } from './data-frame.ts'
import { isMessage } from './message.ts'

/** Size of a value's strings (two bytes for each UTF-16 code unit) and binary data. */
export function valueBytes(value: unknown, limit = Number.POSITIVE_INFINITY): number {
  if (typeof value === 'string') return value.length * 2
  if (typeof value !== 'object' || value === null) return 8
  const seen = new Set<object>()
  const stack: object[] = [value]
  let bytes = 0
  for (let item = stack.pop(); item !== undefined && bytes <= limit; item = stack.pop()) {
    if (seen.has(item)) continue
    seen.add(item)
    if (ArrayBuffer.isView(item)) {
      bytes += item.byteLength
      continue
    }
    if (item instanceof ArrayBuffer) {
      bytes += item.byteLength
      continue
    }
    for (const part of partsOf(item)) {
      if (typeof part === 'string') bytes += part.length * 2
      else if (typeof part === 'object' && part !== null) stack.push(part)
      else bytes += 8
    }
  }
  return bytes
}

/** The parts of an object that are counted; instances of unknown classes are opaque. */
function partsOf(item: object): Iterable<unknown> {
  if (isMessage(item)) return [item.text, item.data, item.files, item.contentBlocks]
  if (isData(item)) return [item.data]
  if (isDataFrame(item)) return item.rows
  if (Array.isArray(item)) return item
  if (item instanceof Map || item instanceof Set) return item.values()
  const prototype: unknown = Object.getPrototypeOf(item)
  return prototype === Object.prototype || prototype === null ? plainValues(item) : []
}

/** Does not call getters, because they may throw. */
function plainValues(item: object): unknown[] {
  return Object.keys(item).map(
    (key) => Object.getOwnPropertyDescriptor(item, key)?.value as unknown,
  )
}
