import type { EventLog, JobQueue, JobStore, StoredEvent, StoredJob } from '../store/job-store.ts'

/** What readers ask the store. */
export interface SharedReads {
  readonly read: EventLog['read']
  readonly get: JobQueue['get']
}

/**
 * Readers that want the same at the same time share a call, so that the store does not notice how many there
 * are. One that comes while a call is under way takes the next: the first may have missed its news.
 */
export function createSharedReads({ log, queue }: Pick<JobStore, 'log' | 'queue'>): SharedReads {
  const reads = shared<readonly [string, number, number], StoredEvent[]>((given) =>
    log.read(...given),
  )
  const jobs = shared<readonly [string], StoredJob | null>((given) => queue.get(...given))
  return { read: (...given) => reads(given), get: (...given) => jobs(given) }
}

function shared<Given extends readonly (string | number)[], Result>(
  call: (given: Given) => Promise<Result>,
): (given: Given) => Promise<Result> {
  /** The next call of each kind: it begins when the one before has ended. */
  const next = new Map<string, Promise<Result>>()
  const running = new Map<string, Promise<unknown>>()
  return (given) => {
    const key = JSON.stringify(given)
    const waiting = next.get(key)
    if (waiting !== undefined) return waiting
    const begin = async (): Promise<Result> => {
      await running.get(key)
      next.delete(key)
      const result = call(given)
      const over = result.then(
        () => undefined,
        () => undefined,
      )
      running.set(key, over)
      try {
        return await result
      } finally {
        if (running.get(key) === over) running.delete(key)
      }
    }
    const made = begin()
    next.set(key, made)
    return made
  }
}
