import { eventStream, formatSseComment, formatSseFrame, type Runtime } from '@x/wire'
import { openStreams } from '@x/wire'

/** Milliseconds of inactivity after which a comment keeps the connection open. */
const HEARTBEAT_MS = 15_000
/** Maximum number of unread characters before the stream is ended. */
const MAX_WAITING = 1024 * 1024

/** Response headers of event streams. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const

/** Events of one stream, in the order they were sent. */
export interface Outbox {
  /** Sends a JSON-RPC message; ignored once the stream has ended. */
  send(message: object): void
  /** Sends one serialised event. */
  push(text: string): void
  /** Ends the stream after everything sent so far. */
  end(): void
  readonly response: Response
}

export interface OutboxOptions {
  readonly runtime: Runtime
  /** Called when the reader disconnected or fell behind by more than 1 MiB. */
  readonly left: () => void
}

export function createOutbox({ runtime, left }: OutboxOptions): Outbox {
  const waiting: string[] = []
  let size = 0
  /** An object, because control flow analysis does not see changes of a plain variable made in callbacks. */
  const stream: { state: 'open' | 'ended' | 'left' } = { state: 'open' }
  let wake = (): void => undefined
  const leave = (): void => {
    if (stream.state === 'left') return
    stream.state = 'left'
    waiting.length = 0
    wake()
    left()
  }
  const next = async (): Promise<IteratorResult<string, undefined>> => {
    while (waiting.length === 0 && stream.state === 'open')
      await new Promise<void>((resolve) => (wake = resolve))
    const value = waiting.shift()
    if (value === undefined) return { done: true, value: undefined }
    size -= value.length
    return { done: false, value }
  }
  const source: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({
      next,
      async return() {
        if (stream.state === 'open' || waiting.length > 0) leave()
        return { done: true, value: undefined }
      },
    }),
  }
  const push = (text: string): void => {
    if (stream.state !== 'open') return
    waiting.push(text)
    size += text.length
    if (size > MAX_WAITING) leave()
    else wake()
  }
  const body = eventStream(source, {
    count: openStreams,
    encode: (text) => text,
    heartbeat: { text: formatSseComment('wait'), everyMs: HEARTBEAT_MS, runtime },
  })
  return {
    push,
    send: (message) => push(formatSseFrame({ event: 'message', data: JSON.stringify(message) })),
    end() {
      if (stream.state === 'open') stream.state = 'ended'
      wake()
    },
    response: new Response(body, { headers: STREAM_HEADERS }),
  }
}
