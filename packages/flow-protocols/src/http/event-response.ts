import { eventStream, formatSseComment, openStreams, type Runtime } from '@x/wire'

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}
const KEEP_ALIVE_MS = 15_000
/** How long a reader may take nothing of what waits for it. */
const STALLED_MS = 30_000

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
  const stalled = new AbortController()
  const signal = AbortSignal.any([request.signal, gone.signal])
  const watch = new StallWatch(runtime, () =>
    stalled.abort(new Error('The reader took nothing for 30 s')),
  )
  const body = eventStream(watched(source(signal), { gone, left, watch }), {
    encode: (text) => text,
    signal: AbortSignal.any([request.signal, stalled.signal]),
    count: openStreams,
    heartbeat: { text: formatSseComment('keep-alive'), everyMs: KEEP_ALIVE_MS, runtime },
  })
  return new Response(body, { headers: { ...HEADERS, ...headers } })
}

/** A source that waits is ended by its signal, as `return` would wait for it. */
function watched(
  texts: AsyncIterable<string>,
  {
    gone,
    left,
    watch,
  }: {
    readonly gone: AbortController
    readonly left: () => void
    readonly watch: StallWatch
  },
): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = texts[Symbol.asyncIterator]()
      const end = (): void => {
        watch.end()
        left()
      }
      return {
        async next() {
          watch.taken()
          try {
            const item = await iterator.next()
            if (item.done === true) end()
            else watch.given()
            return item
          } catch (error) {
            end()
            throw error
          }
        },
        async return() {
          end()
          gone.abort()
          await iterator.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** Notices a reader that has been given something and does not come back for more. */
class StallWatch {
  readonly #runtime: Runtime
  readonly #over = new AbortController()
  readonly #drop: () => void
  /** When the reader was given what it has not come back from. */
  #since: number | undefined
  #isWatching = false

  constructor(runtime: Runtime, drop: () => void) {
    this.#runtime = runtime
    this.#drop = drop
  }

  given(): void {
    this.#since = this.#runtime.now().getTime()
    if (!this.#isWatching) void this.#watch()
  }

  taken(): void {
    this.#since = undefined
  }

  end(): void {
    this.#over.abort()
  }

  /** One timer for all that a reader is given. */
  async #watch(): Promise<void> {
    this.#isWatching = true
    const { signal } = this.#over
    try {
      for (let wait = STALLED_MS; wait > 0; wait = this.#left())
        await this.#runtime.sleep(wait, signal)
      this.#drop()
    } catch {
      // The stream has ended.
    }
  }

  #left(): number {
    if (this.#since === undefined) return STALLED_MS
    return STALLED_MS - (this.#runtime.now().getTime() - this.#since)
  }
}
