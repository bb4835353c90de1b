import type { Runtime } from './runtime.ts'

/** Detects idle periods of a stream, for keep-alive comments. */
export interface IdleTimer {
  /** The item, or undefined after an idle period. Only one item may be awaited at a time. */
  orItem<R>(item: Promise<R>): Promise<R | undefined>
  /** Stops the timer for good. */
  end(): void
}

/**
 * Passed explicitly, because creating an error object would be the most expensive part of ending a wait.
 */
const ENDED = new Error('ended')

/** One timer for the whole stream: a timer per item would cost more than sending it. */
export function createIdleTimer({
  everyMs,
  runtime,
}: {
  /** Idle period in milliseconds. */
  readonly everyMs: number
  readonly runtime: Runtime
}): IdleTimer {
  const clock = new AbortController()
  let begun = 0
  let isTicking = false
  let wake: (() => void) | null = null

  /** Sleeps until an item has been awaited for the whole period. */
  const tick = async (): Promise<void> => {
    isTicking = true
    let wait = everyMs
    while (wait > 0) {
      await runtime.sleep(wait, clock.signal)
      wait = wake === null ? 0 : begun + everyMs - runtime.now().getTime()
    }
    isTicking = false
    wake?.()
  }

  return {
    orItem: (item) =>
      new Promise((resolve, reject) => {
        begun = runtime.now().getTime()
        wake = () => {
          wake = null
          resolve(undefined)
        }
        const settled = (): void => {
          wake = null
        }
        item.then(settled, settled)
        item.then(resolve, reject)
        if (!isTicking) tick().catch(() => undefined)
      }),
    end: () => clock.abort(ENDED),
  }
}
