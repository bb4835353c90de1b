import { valueProblem } from './reader.ts'

const FORM =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

/** Numbers above this are milliseconds, not seconds. */
const MILLISECONDS_ABOVE = 2e10
/** The end of the year 9999, in milliseconds. */
const LATEST = 253_402_300_799_999

/** Parses a date-time in any format the service accepts; UTC without an offset. */
export function readDateTime(value: unknown): Date | ReturnType<typeof valueProblem> {
  if (typeof value === 'number') return fromNumber(value)
  if (typeof value !== 'string') {
    return valueProblem('datetime_type', 'Input should be a valid datetime')
  }
  const trimmed = value.trim()
  if (/^[+-]?\d+(\.\d+)?$/.test(trimmed)) return fromNumber(Number(trimmed))
  return fromText(trimmed) ?? unreadable('invalid form')
}

function fromNumber(value: number): Date | ReturnType<typeof valueProblem> {
  const ms = Math.abs(value) > MILLISECONDS_ABOVE ? value : value * 1000
  if (!Number.isFinite(ms) || Math.abs(ms) > LATEST) return unreadable('out of range')
  return new Date(Math.trunc(ms))
}

function fromText(value: string): Date | undefined {
  const match = FORM.exec(value)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const fraction = Number(`0.${match[7] ?? '0'}`)
  const ms = Date.UTC(year ?? 0, (month ?? 0) - 1, day ?? 0, hour ?? 0, minute ?? 0, second ?? 0)
  const whole = new Date(ms)
  whole.setUTCFullYear(year ?? 0)
  const real =
    whole.getUTCMonth() + 1 === month &&
    whole.getUTCDate() === day &&
    (hour ?? 0) < 24 &&
    (minute ?? 0) < 60 &&
    (second ?? 0) < 60
  const offset = minutesOf(match[8])
  if (!real || offset === undefined) return undefined
  return new Date(whole.getTime() + Math.floor(fraction * 1000) - offset * 60_000)
}

/** The offset from UTC in minutes; undefined if it is invalid. */
function minutesOf(zone: string | undefined): number | undefined {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || 0)
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

function unreadable(error: string): ReturnType<typeof valueProblem> {
  return valueProblem('datetime_from_date_parsing', `Input should be a valid datetime, ${error}`, {
    error,
  })
}
