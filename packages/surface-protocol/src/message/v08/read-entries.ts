import { quote } from '../../diagnostics/errors.ts'
import { isLiteral, literalWords } from '../../catalog/literal.ts'
import { isPlainObject } from '../../json.ts'
import type { DataMap, DataValue } from '../../data/data-value.ts'
import type { Report } from '../../diagnostics/report.ts'

/**
 * Reads a list of data entries at the current position of the report.
 * @param level number of enclosing `valueMap`s
 */
export function readEntries(value: unknown, report: Report, level: number): DataMap {
  const map: DataMap = new Map()
  if (!Array.isArray(value)) {
    report.must('invalid_type', 'an array')
    return map
  }
  if (level > report.limits.dataDepth) {
    report.exceeds('dataDepth')
    return map
  }
  report.entries += value.length
  if (report.entries > report.limits.dataEntries) {
    report.exceeds('dataEntries')
    return map
  }
  const { path } = report
  for (let index = 0; index < value.length; index += 1) {
    path.push(index)
    readEntry(value[index], { map, report, level })
    path.pop()
  }
  return map
}

interface EntryContext {
  readonly map: DataMap
  readonly report: Report
  readonly level: number
}

function readEntry(entry: unknown, context: EntryContext): void {
  const { map, report } = context
  if (!isPlainObject(entry)) {
    report.must('invalid_type', 'an object')
    return
  }
  let key: string | undefined
  let keySeen = false
  let values = 0
  let value: DataValue | undefined
  for (const name of Object.keys(entry)) {
    const member = entry[name]
    if (member === undefined) continue
    if (name === 'key') {
      keySeen = true
      if (typeof member === 'string') key = member
      else report.must('invalid_type', 'a string', { at: ['key'] })
    } else if (VALUES.has(name)) {
      values += 1
      value = readValue(name, member, context)
    } else report.unknown('unknown_key', name)
  }
  if (!keySeen) report.missing('missing_field', 'key')
  if (values !== 1) {
    report.must('not_exactly_one', 'an object with exactly one value')
    return
  }
  if (key === undefined || value === undefined) return
  if (map.has(key)) {
    report.duplicate('duplicate_key', `The key ${quote(key)} occurs twice; the last one counts.`, {
      at: ['key'],
    })
  }
  map.set(key, value)
}

const VALUES: ReadonlyMap<string, 'string' | 'number' | 'boolean' | 'map'> = new Map([
  ['valueString', 'string'],
  ['valueNumber', 'number'],
  ['valueBoolean', 'boolean'],
  ['valueMap', 'map'],
])

function readValue(
  name: string,
  value: unknown,
  { report, level }: EntryContext,
): DataValue | undefined {
  const kind = VALUES.get(name)
  if (kind === undefined) return undefined
  if (kind === 'map') {
    report.path.push(name)
    const map = readEntries(value, report, level + 1)
    report.path.pop()
    return map
  }
  if (isLiteral(value, kind)) return value as DataValue
  // A non-finite number has the right type.
  const code = typeof value === kind ? 'invalid_value' : 'invalid_type'
  report.must(code, literalWords[kind], { at: [name] })
  return undefined
}
