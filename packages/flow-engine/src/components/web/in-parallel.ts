export interface ParallelOptions {
  /** Calls that are under way at the same time. */
  readonly limit: number
  readonly signal: AbortSignal
}

/**
 * The results of `work` for each item, in the order of the items. Work starts in that order. The
 * first failure cancels what is under way, starts nothing more and is what the promise rejects with.
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
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      both.throwIfAborted()
      const at = next
      next += 1
      // The index is in range: `next` was below the length.
      results[at] = await work(items[at] as T, both)
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
