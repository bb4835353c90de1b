const DATE_TIME = /^(-?\d{4,6})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d{1,12})?(Z|[+-]\d\d:\d\d)?$/i

/**
 * Parses an xsd:dateTime to milliseconds since 1970, with a fraction if present; null for any other string.
 * Without an offset the time is UTC.
 */
export function parseInstant(text: string): number | null {
  const parts = DATE_TIME.exec(text)
  if (parts === null) return null
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const [hour, minute, second] = [Number(parts[4]), Number(parts[5]), Number(parts[6])]
  const valid =
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysOf(year, month) &&
    minute < 60 &&
    second < 60 &&
    (hour < 24 || (hour === 24 && minute === 0 && second === 0))
  if (!valid) return null
  const offset = parseOffset(parts[8])
  if (offset === null) return null
  const fraction = parts[7] === undefined ? 0 : Number(`0${parts[7]}`) * 1_000
  return (
    midnight(year, month, day) + ((hour * 60 + minute - offset) * 60 + second) * 1_000 + fraction
  )
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

function midnight(year: number, month: number, day: number): number {
  // `Date.UTC` maps years below 100 to the 20th century.
  if (year >= 100) return Date.UTC(year, month - 1, day)
  return new Date(0).setUTCFullYear(year, month - 1, day)
}

/** Returns whether a string is an xsd:dateTime with date, time and offset. */
export function isDateTime(text: string): boolean {
  return parseInstant(text) !== null && /(?:z|[+-]\d\d:\d\d)$/i.test(text)
}

/** Minutes east of UTC; null if out of range. */
function parseOffset(text: string | undefined): number | null {
  if (text === undefined || text.toUpperCase() === 'Z') return 0
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(4, 6))
  if (minutes > 14 * 60 || Number(text.slice(4, 6)) > 59) return null
  return text.startsWith('-') ? -minutes : minutes
}
