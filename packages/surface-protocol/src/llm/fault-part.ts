import type { ExtractedPart } from './extracted-part.ts'
import { describeFault, excerptOf } from './repair-json.ts'
import type { Place } from './text-place.ts'

/** Why a message cannot be read. */
export interface MessageFault {
  /** Position in the text. */
  readonly at: number
  readonly expected: string
  readonly isTooDeep: boolean
  /** The message as it was written. */
  readonly raw: string
}

/** The part for a message that cannot be read; its place is that of the fault. */
export function faultPart(text: string, fault: MessageFault, place: Place): ExtractedPart {
  const { at, expected, isTooDeep, raw } = fault
  return {
    kind: 'error',
    code: isTooDeep ? 'limit_exceeded' : 'malformed_json',
    message: describeFault(text, { at, expected, place }),
    raw,
    ...place,
    excerpt: excerptOf(text, at),
  }
}

/** The part for a block without a message. */
export function noMessagePart(raw: string, place: Place): ExtractedPart {
  const message = 'The block contains no message.'
  return { kind: 'error', code: 'malformed_json', message, raw, ...place }
}

/** The part for a message that is longer than the maximum. */
export function tooLongPart(maximum: number, raw: string, place: Place): ExtractedPart {
  const message = `A message may have ${maximum} bytes.`
  return { kind: 'error', code: 'limit_exceeded', message, raw, ...place }
}
