import { isPlainObject, setOwn, type JsonObject, type JsonValue } from '../json.ts'
import type { Report } from '../diagnostics/report.ts'

/**
 * A copy of a value that should be JSON (SP-4, SP-11a). What is none is reported where it stands;
 * the size (SP-89) is added to the report. Members that are undefined are left out.
 */
export function copyJson(value: unknown, report: Report): JsonValue {
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
      if (value === null) return null
      return copyContainer(value, report)
    default:
      report.must('invalid_type', 'a JSON value')
      return null
  }
}

/** The same for a value that is known to be an object and no array; some members may be left out. */
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

function copyContainer(value: object, report: Report): JsonValue {
  const { path, limits } = report
  if (report.aborted) return null
  if (path.length >= limits.jsonDepth) {
    report.aborted = true
    report.exceeds('jsonDepth')
    return null
  }
  // Values that share parts can be far larger than the memory they take.
  if (report.size > limits.bufferedSize) {
    report.aborted = true
    report.exceeds('bufferedSize')
    return null
  }
  if (Array.isArray(value)) {
    const copy: JsonValue[] = []
    for (let index = 0; index < value.length; index += 1) {
      path.push(index)
      copy.push(copyJson(value[index], report))
      path.pop()
    }
    return copy
  }
  if (!isPlainObject(value)) {
    report.must('invalid_type', 'a plain object')
    return null
  }
  return copyObject(value, report)
}
