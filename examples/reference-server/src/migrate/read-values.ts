/** A string value; "" for anything else. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A string value, or null. */
export const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' ? value : null

/** The strings of an array; null if it is not an array. */
export function textsOrNull(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : null
}

/** A time, in UTC unless specified; the epoch for invalid values. */
export function date(value: unknown): Date {
  if (value instanceof Date) return value
  const plain = text(value).replace(' UTC', 'Z').replace(' ', 'T')
  const read = new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(plain) ? plain : `${plain}Z`)
  return Number.isNaN(read.getTime()) ? new Date(0) : read
}

/** A value as JSON text; "" for one that is nested too deep. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

/** A JSON object; {} for anything else. */
export const object = (value: unknown): object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}

/** The objects of an array. */
export const objects = (value: unknown): object[] => (Array.isArray(value) ? value.map(object) : [])
