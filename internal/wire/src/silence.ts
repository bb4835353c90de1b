import type { Runtime } from './runtime.ts'

/** The clock of a body that shows a sign of life when nothing comes. */
export interface Silence {
  /** The item, or undefined when there was none for the time. One item is waited for at a time. */
  orItem<R>(item: Promise<R>): Promise<R | undefined>
  /** Stops the clock for good. */
  end(): void
}

/** Given, so that ending a wait makes no error object: that costs more than all the rest of it. */
const ENDED = new Error('ended')

/** One timer for a whole body: a timer for each item would cost more than sending it. */
export function createSilence({
  everyMs,
  runtime,
}: {
  /** Milliseconds. */
  readonly everyMs: number
  readonly runtime: Runtime
}): Silence {
  const clock = new AbortController()
  let begun = 0
  let isTicking = false
  let wake: (() => void) | null = null

  /** Sleeps until somebody has waited for the whole time; no item, nothing to wake. */
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
