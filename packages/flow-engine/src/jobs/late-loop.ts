import type { Runtime } from '@x/wire'

const TICK_MS = 500
/** A process whose event loop was this late has more to do than it can. */
const LATE_MS = 1000
const REST_MS = 5000

export interface LoopWatch {
  /** Milliseconds for which this process should claim nothing; 0 if it keeps up. */
  rest(): number
  /** How late it was last, in milliseconds. */
  lateMs(): number
}

/** Watches the event loop until `closing`. */
export function watchLoop(runtime: Runtime, closing: AbortSignal): LoopWatch {
  const clock = (): number => runtime.monotonic?.() ?? runtime.now().getTime()
  let late = 0
  let restUntil = Number.NEGATIVE_INFINITY
  const watch = async (): Promise<void> => {
    while (!closing.aborted) {
      const before = clock()
      await runtime.sleep(TICK_MS, closing, { background: true })
      const now = clock()
      late = Math.max(0, now - before - TICK_MS)
      if (late > LATE_MS) restUntil = now + REST_MS
    }
  }
  watch().catch(() => undefined)
  return { rest: () => Math.max(0, restUntil - clock()), lateMs: () => late }
}
