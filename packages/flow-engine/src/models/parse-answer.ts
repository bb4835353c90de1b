import { jsonExcess } from '@x/wire'
import { limitExceeded } from '../errors.ts'

/** Limits for the JSON of a model response or of one of its events. */
const LIMITS = { depth: 200, structures: 1_000_000 }

/**
 * Parses the JSON of a model response; undefined if it is not JSON. List items are not counted, because
 * embeddings have millions of them.
 * @throws FlowError `limit_exceeded` for JSON that is too expensive to parse
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
