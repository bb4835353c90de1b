/** The text of a column or field; empty for anything else. */
export const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The text of a column or field, or null. */
export const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' ? value : null

/** The texts of a list, or null where there is none. */
export function textsOrNull(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : null
}

/** A time, in UTC where it does not say otherwise; the epoch for what is none. */
export function date(value: unknown): Date {
  if (value instanceof Date) return value
  const plain = text(value).replace(' UTC', 'Z').replace(' ', 'T')
  const read = new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(plain) ? plain : `${plain}Z`)
  return Number.isNaN(read.getTime()) ? new Date(0) : read
}

/** An object of a JSON column or field; an empty one for anything else. */
export const object = (value: unknown): object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}

/** The objects of a list. */
export const objects = (value: unknown): object[] => (Array.isArray(value) ? value.map(object) : [])
