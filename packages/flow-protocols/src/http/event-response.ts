import { eventStream, formatSseComment, openStreams, type Runtime } from '@x/wire'

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}
const KEEP_ALIVE_MS = 15_000

export interface EventResponseOptions {
  readonly request: Request
  readonly runtime: Runtime
  readonly headers: Readonly<Record<string, string>>
  /** Called once, when the stream has ended or its reader is gone. */
  readonly left: () => void
}

/** A stream of texts, pulled as the reader takes them. @param source is given a signal that ends with the reader */
export function eventResponse(
  source: (signal: AbortSignal) => AsyncIterable<string>,
  { request, runtime, headers, left }: EventResponseOptions,
): Response {
  const gone = new AbortController()
  const signal = AbortSignal.any([request.signal, gone.signal])
  const body = eventStream(watched(source(signal), gone, left), {
    encode: (text) => text,
    signal: request.signal,
    count: openStreams,
    heartbeat: { text: formatSseComment('keep-alive'), everyMs: KEEP_ALIVE_MS, runtime },
  })
  return new Response(body, { headers: { ...HEADERS, ...headers } })
}

/** A source that waits is ended by its signal, as `return` would wait for it. */
function watched(
  texts: AsyncIterable<string>,
  gone: AbortController,
  left: () => void,
): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = texts[Symbol.asyncIterator]()
      return {
        async next() {
          try {
            const item = await iterator.next()
            if (item.done === true) left()
            return item
          } catch (error) {
            left()
            throw error
          }
        },
        async return() {
          left()
          gone.abort()
          await iterator.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}
