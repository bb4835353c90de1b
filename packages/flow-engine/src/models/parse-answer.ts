import { jsonExcess } from '@x/wire'
import { limitExceeded } from '../errors.ts'

/** Of an answer of a model, or of one event of it. */
const LIMITS = { depth: 200, structures: 1_000_000 }

/**
 * The value of what a model answered; undefined where it is no JSON. Items of lists are not counted:
 * vectors have millions of them.
 * @throws FlowError `limit_exceeded` for a text that is too heavy to be parsed (AB-45)
 */
export function parseAnswer(text: string): unknown {
  const excess = jsonExcess(text, LIMITS)
  if (excess === 'depth') throw limitExceeded('answer depth', `${LIMITS.depth}`)
  if (excess !== null) throw limitExceeded('answer values', `${LIMITS.structures}`)
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
