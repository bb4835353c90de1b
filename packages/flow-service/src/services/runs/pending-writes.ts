/** Writes of one run that it does not await individually. */
export interface PendingWrites {
  add(write: Promise<void>): void
  /** Resolves when all added writes are done; rejects with the first failure, every time. */
  settled(): Promise<void>
}

export function createPendingWrites(): PendingWrites {
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
export function createPendingByRequest(): (request: object) => PendingWrites {
  const all = new WeakMap<object, PendingWrites>()
  return (request) => {
    const pending = all.get(request) ?? createPendingWrites()
    all.set(request, pending)
    return pending
  }
}
