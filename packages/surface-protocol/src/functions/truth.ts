import type { JsonValue } from '../json.ts'

/**
 * Returns whether a value counts as true (SN-37): all except false, null, undefined, 0, NaN and `""`.
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

/** A value as text (SN-30): null and nothing are `""`, objects and arrays their JSON. */
export function toText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The number that a value is or that its text says; null for any other (SN-30). */
export function toNumber(value: JsonValue | undefined): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || value.trim() === '') return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}
