import { eventStream } from '@x/wire'
import { openStreams } from '@x/wire'
import type { StoredEvent } from '@x/flow-engine/store'

const HEADERS = { 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }

export interface DeliverOptions {
  readonly signal: AbortSignal
  /** Each line includes the number of its event, so that readers can resume. */
  readonly numbered?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** The `end` event keeps the warnings of the run, which the reference does not send. Default false. */
  readonly warnings?: boolean
  /** Called if the client disconnects before the last event. */
  readonly onLeave?: () => void
}

type EventFormat = Pick<DeliverOptions, 'numbered' | 'warnings'>

/** Formats an event for the wire: a line of JSON and two line feeds. */
export function formatEvent(
  { seq, event, data }: StoredEvent,
  { numbered = false, warnings = false }: EventFormat = {},
): string {
  const name = JSON.stringify(event)
  const shown = event === 'end' && !warnings ? withoutWarnings(data) : data
  return numbered
    ? `{"event": ${name}, "data": ${shown}, "seq": ${seq}}\n\n`
    : `{"event": ${name}, "data": ${shown}}\n\n`
}

function withoutWarnings(data: string): string {
  if (!data.includes('"warnings"')) return data
  const { warnings: _, ...others } = JSON.parse(data) as { readonly warnings?: unknown }
  return JSON.stringify(others)
}

/** Streams the events of a job; the response ends after the last one. */
export function streamEvents(
  events: AsyncIterable<readonly StoredEvent[]>,
  { signal, numbered = false, warnings = false, headers = {}, onLeave }: DeliverOptions,
): Response {
  const format = { numbered, warnings }
  const body = eventStream(onLeave === undefined ? events : watched(events, onLeave), {
    count: openStreams,
    // A line must follow each batch.
    encode: (found) =>
      shownOf(found)
        .map((event) => formatEvent(event, format))
        .join('') || '\n',
    signal,
  })
  return new Response(body, {
    headers: { 'content-type': 'application/x-ndjson', ...HEADERS, ...headers },
  })
}

/** Responds with all events that were waiting. */
export function answerEvents(
  events: readonly StoredEvent[],
  { headers = {}, ...format }: Pick<DeliverOptions, 'numbered' | 'warnings' | 'headers'> = {},
): Response {
  return new Response(
    shownOf(events)
      .map((event) => formatEvent(event, format))
      .join('\n'),
    {
      headers: { 'content-type': 'application/x-ndjson', ...HEADERS, ...headers },
    },
  )
}

/** What models think is for the interfaces that ask for it. */
function shownOf(events: readonly StoredEvent[]): readonly StoredEvent[] {
  return events.some(({ event }) => event === 'reasoning')
    ? events.filter(({ event }) => event !== 'reasoning')
    : events
}

/** Reports if the reader stops before the end. */
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
