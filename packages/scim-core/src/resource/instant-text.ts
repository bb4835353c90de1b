const DAY = 86_400_000
const DAYS_KEPT = 256

/** Cache of recent dates, because most times in a list fall on few days. */
const dates = new Map<number, string>()
const PADDED = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'))

/** Formats a time like `toISOString`, at a fraction of the cost. */
export function instantText(time: Date): string {
  const ms = time.getTime()
  const day = Math.floor(ms / DAY)
  const rest = ms - day * DAY
  const hours = Math.floor(rest / 3_600_000)
  const minutes = Math.floor(rest / 60_000) % 60
  const seconds = Math.floor(rest / 1000) % 60
  return `${dateOf(day)}${two(hours)}:${two(minutes)}:${two(seconds)}.${PADDED[rest % 1000]}Z`
}

/** `2031-05-01T`. @throws RangeError for an invalid time */
function dateOf(day: number): string {
  const known = dates.get(day)
  if (known !== undefined) return known
  const date = new Date(day * DAY).toISOString().slice(0, -13)
  if (dates.size === DAYS_KEPT) dates.clear()
  dates.set(day, date)
  return date
}

function two(number: number): string {
  return number < 10 ? `0${number}` : String(number)
}
