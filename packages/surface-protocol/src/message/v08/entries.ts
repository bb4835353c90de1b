import {
  errorFrom,
  limitError,
  SurfaceError,
  type SurfaceDiagnostic,
} from '../../diagnostics/errors.ts'
import { formatPointer, isPlainObject, type JsonObject, type JsonValue } from '../../json.ts'
import { defaultLimits } from '../../diagnostics/limits.ts'
import type { DataEntry } from './data-entry.ts'
import { readEntries } from './read-entries.ts'
import { Report } from '../../diagnostics/report.ts'
import { asMap, isContainer, mapToJson, type DataMap } from '../../data/data-value.ts'

/**
 * Converts entries to an object; for duplicate keys the last one counts.
 * @throws SurfaceError for invalid entries
 */
export function parseEntries(entries: DataEntry[]): JsonObject {
  const report = new Report('strict')
  const map = readEntries(entries, report, 0)
  if (report.errors > 0) throw errorFrom(report.finish())
  return mapToJson(map)
}

/** Options of `formatEntries`. */
export interface FormatEntriesOptions {
  /** Called with arrays that became maps and members that were dropped. */
  onDiagnostic?: (diagnostic: SurfaceDiagnostic) => void
}

/**
 * Converts an object to entries. Arrays become maps with decimal keys; null and undefined are
 * dropped;
 * both are reported to `onDiagnostic` as `lossy_conversion`.
 * @throws SurfaceError `invalid_type` for a value that is not JSON, `limit_exceeded` for nesting beyond
 * `jsonDepth`
 */
export function formatEntries(value: JsonObject, options: FormatEntriesOptions = {}): DataEntry[] {
  return formatMembers(value, [], options)
}

/** Converts a data map to entries; null is dropped, arrays become maps. */
export function dataToEntries(map: DataMap): DataEntry[] {
  const entries: DataEntry[] = []
  for (const [key, value] of map) {
    if (isContainer(value)) entries.push({ key, valueMap: dataToEntries(asMap(value)) })
    else if (value !== null) entries.push(scalarEntry(key, value))
  }
  return entries
}

function scalarEntry(key: string, value: string | number | boolean): DataEntry {
  if (typeof value === 'string') return { key, valueString: value }
  return typeof value === 'number' ? { key, valueNumber: value } : { key, valueBoolean: value }
}

function formatMembers(
  value: JsonObject | JsonValue[],
  path: readonly string[],
  options: FormatEntriesOptions,
): DataEntry[] {
  if (path.length > defaultLimits.jsonDepth) {
    throw limitError('jsonDepth', `Data may be nested ${defaultLimits.jsonDepth} levels deep.`)
  }
  const entries: DataEntry[] = []
  for (const key of Object.keys(value)) {
    const item: unknown = Array.isArray(value) ? value[Number(key)] : value[key]
    const entry = formatMember(key, item, { path: [...path, key], options })
    if (entry !== null) entries.push(entry)
  }
  return entries
}

function formatMember(
  key: string,
  value: unknown,
  { path, options }: { path: readonly string[]; options: FormatEntriesOptions },
): DataEntry | null {
  if (value === null || value === undefined) {
    tell(options, path, 'A value of null cannot be expressed and was left out.')
    return null
  }
  if (Array.isArray(value)) {
    tell(options, path, 'An array became a map with decimal keys.')
    return { key, valueMap: formatMembers(value as JsonValue[], path, options) }
  }
  if (typeof value === 'string' || typeof value === 'boolean') return scalarEntry(key, value)
  if (typeof value === 'number' && Number.isFinite(value)) return scalarEntry(key, value)
  if (isPlainObject(value)) {
    return { key, valueMap: formatMembers(value as JsonObject, path, options) }
  }
  throw new SurfaceError({
    code: 'invalid_type',
    detail: 'Data consists of strings, finite numbers, booleans, objects and arrays.',
    path: formatPointer(path),
  })
}

function tell({ onDiagnostic }: FormatEntriesOptions, path: readonly string[], text: string): void {
  onDiagnostic?.({
    code: 'lossy_conversion',
    severity: 'warning',
    message: text,
    path: formatPointer(path),
  })
}
