import { eventStream, type Runtime } from '@x/wire'

export interface EventStreamAnswerOptions {
  readonly signal: AbortSignal
  /** Aborted when the reader leaves: a source that waits cannot be ended otherwise. */
  readonly left: AbortController
  /** Sends a comment after this many milliseconds of silence, so that proxies keep the connection. */
  readonly heartbeat?: { readonly everyMs: number; readonly runtime: Runtime }
}

/** Texts of events as `text/event-stream`, as they come. */
export function eventStreamAnswer(
  texts: AsyncIterable<string>,
  { signal, left, heartbeat }: EventStreamAnswerOptions,
): Response {
  const body = eventStream(leavable(texts, left), {
    encode: (text) => text,
    signal,
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
