import type { Runtime } from './runtime.ts'
import { createIdleTimer } from './idle-timer.ts'

/** Options for encoding the items of a source as a body. */
export interface EventStreamOptions<T> {
  /** Serialises one item, including its terminators. */
  readonly encode: (item: T) => string
  /** Ends the source and the body. */
  readonly signal?: AbortSignal
  /** Text sent after `heartbeat.everyMs` milliseconds without an item. */
  readonly heartbeat?: {
    readonly text: string
    readonly everyMs: number
    readonly runtime: Runtime
  }
  /** Text that ends the body if the source fails; without it the body fails too. */
  readonly onError?: (error: unknown) => string | undefined
  /** Counts the body while it is open. */
  readonly count?: StreamCount
}

/** Number of open bodies. */
export interface StreamCount {
  open: number
}

const encoder = new TextEncoder()

/**
 * A body over an async source. Items are pulled as the reader consumes them; `return` is called on the
 * source when the reader cancels.
 */
export function eventStream<T>(
  source: AsyncIterable<T>,
  { encode, signal, heartbeat, onError, count }: EventStreamOptions<T>,
): ReadableStream<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]()
  let pending: Promise<IteratorResult<T>> | undefined
  let left = false
  let controllerOfBody: ReadableStreamDefaultController<Uint8Array> | undefined
  const silence = heartbeat && createIdleTimer(heartbeat)

  const onAbort = (): void => {
    if (left) return
    void leave().catch(() => undefined)
    controllerOfBody?.error(signal?.reason)
  }

  /** No further item is taken, and the listener is removed from a signal that outlives the body. */
  const end = (): void => {
    if (!left && count !== undefined) count.open -= 1
    left = true
    silence?.end()
    signal?.removeEventListener('abort', onAbort)
  }

  const leave = async (): Promise<void> => {
    if (left) return
    end()
    await iterator.return?.()
  }

  if (count !== undefined) count.open += 1
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controllerOfBody = controller
        if (signal?.aborted === true) onAbort()
        else signal?.addEventListener('abort', onAbort, { once: true })
      },
      async pull(controller) {
        try {
          pending ??= iterator.next()
          const result = await (silence === undefined ? pending : silence.orItem(pending))
          if (left) return
          if (result === undefined) {
            controller.enqueue(encoder.encode(heartbeat?.text))
            return
          }
          pending = undefined
          if (result.done === true) {
            end()
            controller.close()
          } else controller.enqueue(encoder.encode(encode(result.value)))
        } catch (error) {
          if (left) return
          end()
          const text = onError?.(error)
          if (text === undefined) controller.error(error)
          else {
            controller.enqueue(encoder.encode(text))
            controller.close()
          }
        }
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
}
