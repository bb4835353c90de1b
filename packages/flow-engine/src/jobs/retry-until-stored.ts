import type { Runtime } from '@x/wire'
import { isStaleWriter } from '../store/store-error.ts'

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 2000

export interface RetryUntilStoredOptions {
  readonly runtime: Runtime
  /** Ends the delays. */
  readonly signal: AbortSignal
  /** True if further attempts are pointless. */
  readonly over?: () => boolean
  /** Called with the first failure. */
  readonly onError: (error: unknown) => void
}

/**
 * Retries a write until the store accepts it, after 100 ms, doubling up to 2 s.
 * @throws the write's error if `over` returns true, the signal is aborted, or the writer is stale
 */
export async function retryUntilStored<Result>(
  write: () => Promise<Result>,
  { runtime, signal, over, onError }: RetryUntilStoredOptions,
): Promise<Result> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    try {
      return await write()
    } catch (error) {
      if (isStaleWriter(error) || signal.aborted || over?.() === true) throw error
      if (pause === FIRST_PAUSE_MS) onError(error)
      await runtime.sleep(pause, signal)
    }
  }
}
