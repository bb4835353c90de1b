import type { Runtime } from '@x/wire'

const TICK_MS = 500
/** A process whose event loop was this late has more to do than it can. */
const LATE_MS = 1000
const REST_MS = 5000

/**
 * Watches the event loop until `closing`.
 * @returns milliseconds for which this process should claim nothing; 0 if it keeps up
 */
export function watchLoop(runtime: Runtime, closing: AbortSignal): () => number {
  const clock = (): number => runtime.monotonic?.() ?? runtime.now().getTime()
  let restUntil = Number.NEGATIVE_INFINITY
  const watch = async (): Promise<void> => {
    while (!closing.aborted) {
      const before = clock()
      await runtime.sleep(TICK_MS, closing, { background: true })
      const now = clock()
      if (now - before - TICK_MS > LATE_MS) restUntil = now + REST_MS
    }
  }
  watch().catch(() => undefined)
  return () => Math.max(0, restUntil - clock())
}
