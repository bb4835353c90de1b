/** Writes of one run that it does not await individually. */
export interface WriteTracker {
  add(write: Promise<void>): void
  /** Resolves when all added writes are done; rejects with the first failure, every time. */
  settled(): Promise<void>
}

export function createWriteTracker(): WriteTracker {
  let writes: Promise<unknown> | undefined
  return {
    add(write) {
      const all = writes === undefined ? write : Promise.all([writes, write])
      // Callers of `settled` receive the error.
      all.catch(() => undefined)
      writes = all
    },
    async settled() {
      await writes
    },
  }
}

/** The writes of the run of each request, for those that know nothing but the request. */
export function createPendingByRequest(): (request: object) => WriteTracker {
  const all = new WeakMap<object, WriteTracker>()
  return (request) => {
    const pending = all.get(request) ?? createWriteTracker()
    all.set(request, pending)
    return pending
  }
}
