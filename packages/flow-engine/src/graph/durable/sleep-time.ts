import { invalidRequest } from '../../errors.ts'

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

const DURATION = /^(?:\d{1,15}(?:\.\d{1,6})?(?:ms|s|m|h|d|w))+$/
/** The latest time a Date can represent. */
const LAST = 8_640_000_000_000_000

/**
 * Resolves the end of a sleep from milliseconds, a duration such as `3d` or `1h30m`, or a time.
 * @throws FlowError `invalid_request` for anything else
 */
export function wakeTime(time: number | string | Date, now: Date): Date {
  if (time instanceof Date && !Number.isNaN(time.getTime())) return new Date(time)
  const ms = typeof time === 'string' ? durationMs(time) : time
  if (typeof ms === 'number' && ms >= 0)
    return new Date(Math.min(LAST, Math.ceil(now.getTime() + ms)))
  throw invalidRequest(
    `A sleep takes milliseconds, a Date or a duration such as 90s, 1h30m or 3d, got: ${String(time).slice(0, 100)}`,
  )
}

function durationMs(text: string): number | undefined {
  if (text.length > 100 || !DURATION.test(text)) return undefined
  let ms = 0
  for (const [, count, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g))
    ms += Number(count) * (UNITS[unit] ?? 0)
  return ms
}

/** Formats a duration with the largest unit that divides it: `3 days`, `90 seconds`. */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  for (const [name, size] of NAMES) {
    if (seconds >= size && seconds % size === 0) return counted(seconds / size, name)
  }
  return counted(seconds, 'second')
}

const NAMES = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
