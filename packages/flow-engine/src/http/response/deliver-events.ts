import { eventStream } from '@x/wire'
import { openStreams } from '../../base/open-streams.ts'
import type { StoredEvent } from '../../store/job-store.ts'

const HEADERS = { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }

export interface DeliverOptions {
  readonly signal: AbortSignal
  /** Each line holds the number of its event, for readers that go on where they were. */
  readonly numbered?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** Called when the client leaves before the last event. */
  readonly onLeave?: () => void
}

/** One event as it goes over the wire: a line of JSON and two line feeds (events.md 1). */
export function formatEvent({ seq, event, data }: StoredEvent, numbered = false): string {
  const name = JSON.stringify(event)
  return numbered
    ? `{"event": ${name}, "data": ${data}, "seq": ${seq}}\n\n`
    : `{"event": ${name}, "data": ${data}}\n\n`
}

/** The events of a job as they come; the answer ends after the last one. */
export function streamEvents(
  events: AsyncIterable<readonly StoredEvent[]>,
  { signal, numbered = false, headers = {}, onLeave }: DeliverOptions,
): Response {
  const body = eventStream(onLeave === undefined ? events : watched(events, onLeave), {
    count: openStreams,
    encode: (found) => found.map((event) => formatEvent(event, numbered)).join(''),
    signal,
  })
  return new Response(body, {
    headers: { 'content-type': 'application/x-ndjson', ...HEADERS, ...headers },
  })
}

/** All events that were waiting, in one answer. */
export function answerEvents(
  events: readonly StoredEvent[],
  { numbered = false, headers = {} }: Pick<DeliverOptions, 'numbered' | 'headers'> = {},
): Response {
  return new Response(events.map((event) => formatEvent(event, numbered)).join('\n'), {
    headers: { 'content-type': 'application/x-ndjson', ...HEADERS, ...headers },
  })
}

/** Tells when the reader leaves before the end. */
async function* watched(
  events: AsyncIterable<readonly StoredEvent[]>,
  onLeave: () => void,
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  let ended = false
  try {
    for await (const found of events) {
      yield found
      ended = found.at(-1)?.event === 'end'
    }
    ended = true
  } finally {
    if (!ended) onLeave()
  }
}
