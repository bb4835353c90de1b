import type { Cron } from 'croner'
import { FlowError, invalidRequest } from '../errors.ts'

/** The times of a cron expression. */
export interface CronTimes {
  /** The first time after the given one; null if there is none, or none before `until`. */
  next(after: Date): Date | null
}

/** Minute to weekday, optionally preceded by seconds. */
const FIELDS = /^\S+(?:\s+\S+){4,5}$/
const MAX_LENGTH = 200

/** Loaded on first use, because only some hosts use schedules. */
let loaded: { readonly Cron: typeof Cron } | undefined

/**
 * Parses a cron expression of five or six fields. Times are in the time zone, including daylight
 * saving time.
 * @throws FlowError `invalid_request` for an invalid expression or time zone, or if it never matches
 */
export async function readCron(entry: {
  readonly cron: string
  readonly timeZone: string
  readonly until: Date | null
}): Promise<CronTimes> {
  const { cron, timeZone, until } = entry
  const text = typeof cron === 'string' ? cron.trim() : ''
  if (text.length > MAX_LENGTH || !FIELDS.test(text))
    throw invalidRequest('cron must be a string of five or six fields, such as "0 9 * * 1-5"')
  checkTimeZone(timeZone)
  loaded ??= await import('croner')
  try {
    const pattern = new loaded.Cron(text, {
      timezone: timeZone,
      mode: '5-or-6-parts',
      paused: true,
      ...(until === null ? {} : { stopAt: until }),
    })
    return { next: (after) => nextOf(pattern.nextRun(after), until) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be read'
    throw new FlowError('invalid_request', `cron "${text}": ${reason}`, { cause: error })
  }
}

function nextOf(time: Date | null, until: Date | null): Date | null {
  return time !== null && until !== null && time > until ? null : time
}

function checkTimeZone(timeZone: string): void {
  try {
    Intl.DateTimeFormat('en', { timeZone })
  } catch (error) {
    const detail = `timeZone: there is no time zone "${timeZone}"`
    throw new FlowError('invalid_request', detail, { cause: error })
  }
}
