import { isPlainObject, setOwn, type JsonObject, type JsonValue } from '../json.ts'
import type { Report } from '../diagnostics/report.ts'
import type { DataMap, DataValue } from './data-value.ts'

/**
 * Copies a value that should be JSON. Other values are reported at their position; the size is added to the report. Undefined members are dropped.
 */
export function copyJson(value: unknown, report: Report): JsonValue {
  if (typeof value !== 'object' || value === null) return copyScalar(value, report)
  if (!isCopyable(value, report)) return null
  if (Array.isArray(value)) return copyItems(value, report, copyJson)
  return copyObject(value as Record<string, unknown>, report)
}

/** The same in data model form. */
export function copyData(value: unknown, report: Report): DataValue {
  if (typeof value !== 'object' || value === null) return copyScalar(value, report)
  if (!isCopyable(value, report)) return null
  if (Array.isArray(value)) return copyItems(value, report, copyData)
  return copyMap(value as Record<string, unknown>, report)
}

/** The same for a value known to be a non-array object. */
export function copyMap(value: Record<string, unknown>, report: Report): DataMap {
  const { path } = report
  const copy: DataMap = new Map()
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member === undefined) continue
    report.size += key.length
    path.push(key)
    copy.set(key, copyData(member, report))
    path.pop()
  }
  return copy
}

function copyScalar(value: unknown, report: Report): string | number | boolean | null {
  switch (typeof value) {
    case 'string':
      report.size += value.length + 8
      return value
    case 'number':
      report.size += 8
      if (!Number.isFinite(value)) report.must('invalid_value', 'a finite number')
      return value
    case 'boolean':
      report.size += 8
      return value
    case 'object':
      report.size += 8
      return null
    default:
      report.must('invalid_type', 'a JSON value')
      return null
  }
}

/** The same for a value known to be a non-array object; some members may be skipped. */
export function copyObject(
  value: Record<string, unknown>,
  report: Report,
  without?: ReadonlySet<string>,
): JsonObject {
  const { path } = report
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member === undefined || without?.has(key) === true) continue
    report.size += key.length
    path.push(key)
    const item = copyJson(member, report)
    path.pop()
    if (key === '__proto__') setOwn(copy, key, item)
    else copy[key] = item
  }
  return copy
}

/** Returns whether a container may be copied: it is JSON, and neither too deep nor too large. */
function isCopyable(value: object, report: Report): boolean {
  const { path, limits } = report
  report.size += 8
  if (report.aborted) return false
  if (path.length >= limits.jsonDepth) {
    report.aborted = true
    report.exceeds('jsonDepth')
    return false
  }
  // Values with shared parts can be far larger than the memory they occupy.
  if (report.size > limits.bufferedSize) {
    report.aborted = true
    report.exceeds('bufferedSize')
    return false
  }
  if (Array.isArray(value) || isPlainObject(value)) return true
  report.must('invalid_type', 'a plain object')
  return false
}

function copyItems<T>(
  list: readonly unknown[],
  report: Report,
  copyItem: (item: unknown, report: Report) => T,
): T[] {
  const { path } = report
  const copy: T[] = []
  for (let index = 0; index < list.length; index += 1) {
    path.push(index)
    copy.push(copyItem(list[index], report))
    path.pop()
  }
  return copy
}
