import { eventStream, formatSseComment, type Runtime } from '@x/wire'
import { openStreams } from '@x/wire'

export interface EventStreamAnswerOptions {
  readonly signal: AbortSignal
  /** Aborted when the reader disconnects; a waiting source cannot be ended otherwise. */
  readonly left: AbortController
  /** Sends a comment after this many idle milliseconds, so that proxies keep the connection open. */
  readonly heartbeat?: { readonly everyMs: number; readonly runtime: Runtime }
}

/** The reader of a response that may be an event stream. */
export interface StreamReader {
  /** Aborted when the client disconnects or cancels the stream. */
  readonly signal: AbortSignal
  readonly left: AbortController
}

/**
 * @param streams false for a response in one piece: it has no stream to cancel, and joining signals is
 * expensive
 */
export function streamReader(signal: AbortSignal, streams = true): StreamReader {
  const left = new AbortController()
  return { signal: streams ? AbortSignal.any([signal, left.signal]) : signal, left }
}

/** Streams serialised events as `text/event-stream`. */
export function eventStreamAnswer(
  texts: AsyncIterable<string>,
  { signal, left, heartbeat }: EventStreamAnswerOptions,
): Response {
  const body = eventStream(leavable(texts, left), {
    encode: (text) => text,
    signal,
    count: openStreams,
    ...(heartbeat === undefined
      ? {}
      : { heartbeat: { ...heartbeat, text: formatSseComment('wait') } }),
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
    },
  })
}

function leavable(texts: AsyncIterable<string>, left: AbortController): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = texts[Symbol.asyncIterator]()
      return {
        next: () => iterator.next(),
        async return() {
          left.abort()
          await iterator.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
