import { createSseReader, type Runtime, type SseEvent } from '@x/wire'
import { limitExceeded } from '../errors.ts'
import { bodyChunks } from './read-answer.ts'

const MAX_EVENT_CHARS = 8 * 1024 * 1024
/** Added to the length of each line, because empty lines use memory too. */
const LINE_CHARS = 64
/** Maximum size of a streamed answer; a longer one is considered endless. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024

/**
 * Yields the `data` of each server-sent event of a model's answer.
 * @throws as `serverSentEvents`; FlowError `limit_exceeded` for an answer over 128 MiB
 */
export async function* eventData(response: Response, runtime?: Runtime): AsyncGenerator<string> {
  const events = serverSentEvents(response, { runtime, limit: MAX_ANSWER_BYTES })
  for await (const { data } of events) yield data
}

export interface EventsOptions {
  /** Measures pauses, see `bodyChunks`. */
  readonly runtime?: Runtime | undefined
  /** Maximum total bytes of the events. Default: unlimited. */
  readonly limit?: number
}

/**
 * Yields the server-sent events of a response, in order. Takes time linear in the response length, however
 * small its chunks are.
 * @throws FlowError `limit_exceeded` for an event of over 8 Mi characters; `timeout`, see `bodyChunks`
 */
export async function* serverSentEvents(
  response: Response,
  { runtime, limit = Number.POSITIVE_INFINITY }: EventsOptions = {},
): AsyncGenerator<SseEvent> {
  let bytes = 0
  const decoder = new TextDecoder()
  const reader = createSseReader({
    limit: MAX_EVENT_CHARS,
    lineSize: LINE_CHARS,
    tooLong: () => limitExceeded('event length', `${MAX_EVENT_CHARS}`),
  })
  for await (const chunk of bodyChunks(response, runtime)) {
    bytes += chunk.length
    if (bytes > limit) throw limitExceeded('answer bytes', `more than ${limit}`)
    yield* reader.push(decoder.decode(chunk, { stream: true }))
  }
  // Some servers leave out the blank line at the end.
  const last = reader.end()
  if (last !== null) yield last
}
