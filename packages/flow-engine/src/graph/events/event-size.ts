import { limitExceeded } from '../../errors.ts'

/** A character takes up to six bytes when it is encoded. */
export const CHARACTER_BYTES = 6

/** The keys of an event and its short values, generously. */
const SMALL = 2048

const encoder = new TextEncoder()

/** Tells whether the data of an event is certainly small enough, by its number of characters. */
export function surelyFits(characters: number, eventBytes: number): boolean {
  return characters <= longestText(eventBytes)
}

/** Characters that an event of one text may certainly have. */
export function longestText(eventBytes: number): number {
  return Math.max(0, Math.floor((eventBytes - SMALL) / CHARACTER_BYTES))
}

/**
 * Checks the exact size if the estimate is inconclusive (FE-64).
 * @throws FlowError `limit_exceeded`
 */
export function checkEventSize(what: string, data: unknown, eventBytes: number): void {
  if (encoder.encode(JSON.stringify(data)).length <= eventBytes) return
  throw limitExceeded('eventBytes', `${what} is larger than ${eventBytes} bytes`)
}

/** A text cut so that an event that holds it twice is not too large. */
export function cutToEvent(text: string, eventBytes: number): string {
  const most = Math.floor(longestText(eventBytes) / 2)
  return text.length > most ? `${text.slice(0, most)}...` : text
}
