import type { JobStoring } from '@x/flow-engine'

/** Writes of one run that it does not await individually. */
export interface WriteTracker {
  /** Resolves when the job of the run is being stored, so that nothing of it is stored before it. */
  begun(): Promise<void>
  add(write: Promise<void>): void
  /** Resolves when all added writes are done; rejects with the first failure, every time. */
  written(): Promise<void>
  /** The same for those who read what was written: a job that is not stored yet is stored first. */
  settled(): Promise<void>
}

export function createWriteTracker(job?: JobStoring): WriteTracker {
  let writes: Promise<unknown> | undefined
  return {
    begun: async () => await job?.begun(),
    add(write) {
      const all = writes === undefined ? write : Promise.all([writes, write])
      // Callers of `settled` receive the error.
      all.catch(() => undefined)
      writes = all
    },
    async written() {
      await writes
    },
    async settled() {
      await job?.settle()
      await writes
    },
  }
}

/** The writes of the run of each request, for those that know nothing but the request. */
export function createPendingByRequest(): (request: object, job?: JobStoring) => WriteTracker {
  const all = new WeakMap<object, WriteTracker>()
  return (request, job) => {
    const pending = all.get(request) ?? createWriteTracker(job)
    all.set(request, pending)
    return pending
  }
}
