import type { JsonValue } from '../json.ts'
import { dateName, inTimeZone } from './formatters.ts'

/** The locale, time zone and pattern of a date. */
export interface DateForm {
  readonly locale: string
  readonly timeZone: string
}

/** Formats a date with a token pattern or `ISO`; `""` for a value that is not a date. */
export function formatDate(value: JsonValue | undefined, format: string, form: DateForm): string {
  const time = readTime(value)
  if (time === null) return ''
  const moment = new Date(time)
  if (Number.isNaN(moment.getTime())) return ''
  if (format === 'ISO') return moment.toISOString()
  const date = inTimeZone(moment, form.timeZone)
  return format.replaceAll(TOKEN, (token, quoted: string | undefined) => {
    if (token === "''") return "'"
    if (quoted !== undefined) return quoted.replaceAll("''", "'")
    return tokens[token]?.(date, form.locale) ?? token
  })
}

const TOKEN = /''|'((?:[^']|'')*)'|yyyy|yy|MMMM|MMM|MM|M|EEEE|E|dd|d|HH|H|hh|h|mm|ss|a/g

const pad = (value: number, length = 2): string => String(value).padStart(length, '0')
const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12

const tokens: Readonly<Record<string, (date: Date, locale: string) => string>> = {
  yyyy: (date) => pad(date.getUTCFullYear(), 4),
  yy: (date) => pad(date.getUTCFullYear() % 100),
  MMMM: (date, locale) => dateName(date, locale, { month: 'long' }),
  MMM: (date, locale) => dateName(date, locale, { month: 'short' }),
  MM: (date) => pad(date.getUTCMonth() + 1),
  M: (date) => String(date.getUTCMonth() + 1),
  EEEE: (date, locale) => dateName(date, locale, { weekday: 'long' }),
  E: (date, locale) => dateName(date, locale, { weekday: 'short' }),
  dd: (date) => pad(date.getUTCDate()),
  d: (date) => String(date.getUTCDate()),
  HH: (date) => pad(date.getUTCHours()),
  H: (date) => String(date.getUTCHours()),
  hh: (date) => pad(hour12(date)),
  h: (date) => String(hour12(date)),
  mm: (date) => pad(date.getUTCMinutes()),
  ss: (date) => pad(date.getUTCSeconds()),
  a: (date) => (date.getUTCHours() < 12 ? 'AM' : 'PM'),
}

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d\d:?\d\d)?)?$/

/** Milliseconds of a date; UTC without a zone. Null for impossible dates. */
function readTime(value: JsonValue | undefined): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string') return null
  const match = ISO.exec(value.trim())
  if (match === null) return null
  const [, year = '', month = '', day = '', hour = '0', minute = '0', second = '0'] = match
  const milliseconds = Number(`0.${match[7] ?? '0'}`) * 1000
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const isReal =
    date.getUTCMonth() === Number(month) - 1 &&
    date.getUTCDate() === Number(day) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60
  if (!isReal) return null
  date.setUTCHours(Number(hour), Number(minute), Number(second), Math.floor(milliseconds))
  return date.getTime() - offsetOf(match[8])
}

function offsetOf(zone: string | undefined): number {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0
  const [hours = 0, minutes = 0] = zone.slice(1).replace(':', '').match(/\d\d/g)?.map(Number) ?? []
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
