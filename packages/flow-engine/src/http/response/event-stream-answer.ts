import { eventStream, type Runtime } from '@x/wire'
import { openStreams } from '../../base/open-streams.ts'

export interface EventStreamAnswerOptions {
  readonly signal: AbortSignal
  /** Aborted when the reader leaves: a source that waits cannot be ended otherwise. */
  readonly left: AbortController
  /** Sends a comment after this many milliseconds of silence, so that proxies keep the connection. */
  readonly heartbeat?: { readonly everyMs: number; readonly runtime: Runtime }
}

/** The reader of an answer that may be an event stream. */
export interface StreamReader {
  /** Aborted when the client goes, or leaves the stream. */
  readonly signal: AbortSignal
  readonly left: AbortController
}

/** @param streams false for an answer in one piece: it has no stream to leave, and joining signals is expensive */
export function streamReader(signal: AbortSignal, streams = true): StreamReader {
  const left = new AbortController()
  return { signal: streams ? AbortSignal.any([signal, left.signal]) : signal, left }
}

/** Texts of events as `text/event-stream`, as they come. */
export function eventStreamAnswer(
  texts: AsyncIterable<string>,
  { signal, left, heartbeat }: EventStreamAnswerOptions,
): Response {
  const body = eventStream(leavable(texts, left), {
    encode: (text) => text,
    signal,
    count: openStreams,
    ...(heartbeat === undefined ? {} : { heartbeat: { ...heartbeat, text: ': wait\n\n' } }),
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
