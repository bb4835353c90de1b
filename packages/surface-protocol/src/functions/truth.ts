import type { JsonValue } from '../json.ts'

/**
 * Returns whether a value counts as true: everything except false, null, undefined, 0, NaN and
 * `""`.
 */
export function isTrue(value: JsonValue | undefined): boolean {
  return !(
    value === undefined ||
    value === null ||
    value === false ||
    value === '' ||
    value === 0 ||
    Number.isNaN(value)
  )
}

/** Converts a value to text: null and undefined to `""`, objects and arrays to JSON. */
export function toText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Converts a number or numeric string; null for other values. */
export function toNumber(value: JsonValue | undefined): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || value.trim() === '') return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}
