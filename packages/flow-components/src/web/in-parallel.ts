import { eventLoopTurn } from '@x/wire'

/** Yields to the event loop after this many calls, which otherwise would not if they finish immediately. */
const TURN = 100

export interface ParallelOptions {
  /** Maximum number of concurrent calls. */
  readonly limit: number
  readonly signal: AbortSignal
}

/**
 * Runs `work` for each item, started in order, and returns the results in order. On the first failure,
 * running work is aborted, no more is started, and the promise rejects with that error.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  { limit, signal }: ParallelOptions,
  work: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const failed = new AbortController()
  const both = AbortSignal.any([signal, failed.signal])
  const results: R[] = []
  let next = 0
  let turn: Promise<void> | undefined
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      both.throwIfAborted()
      const at = next
      next += 1
      // In range, because `next` was less than the length.
      results[at] = await work(items[at] as T, both)
      if (at % TURN === TURN - 1) turn = eventLoopTurn()
      await turn
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane))
  } catch (error) {
    failed.abort(error)
    throw error
  }
  return results
}
