import { limitExceeded } from '../../errors.ts'

/** A character takes up to six bytes when encoded. */
export const CHARACTER_BYTES = 6

/** Generous estimate for the keys and short values of an event. */
const SMALL = 2048

const encoder = new TextEncoder()

/** True if the data of an event certainly fits, judging by its number of characters. */
export function fitsWithoutMeasuring(characters: number, eventBytes: number): boolean {
  return characters <= longestText(eventBytes)
}

/** Number of characters that certainly fit in an event with a single string. */
export function longestText(eventBytes: number): number {
  return Math.max(0, Math.floor((eventBytes - SMALL) / CHARACTER_BYTES))
}

/**
 * Checks the exact size if the estimate is inconclusive.
 * @throws FlowError `limit_exceeded`
 */
export function checkEventSize(what: string, data: unknown, eventBytes: number): void {
  if (encoder.encode(JSON.stringify(data)).length <= eventBytes) return
  throw limitExceeded('eventBytes', `${what} is larger than ${eventBytes} bytes`)
}

/** Truncates a string so that an event containing it twice fits. */
export function cutToEvent(text: string, eventBytes: number): string {
  const most = Math.floor(longestText(eventBytes) / 2)
  return text.length > most ? `${text.slice(0, most)}...` : text
}
