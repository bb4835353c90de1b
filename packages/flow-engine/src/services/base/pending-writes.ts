/** Writes of one run that it does not wait for one by one. */
export interface PendingWrites {
  add(write: Promise<void>): void
  /** Resolves when all that was added is written; rejects with the first failure, again each time. */
  settled(): Promise<void>
}

export function createPendingWrites(): PendingWrites {
  let writes: Promise<unknown> | undefined
  return {
    add(write) {
      const all = writes === undefined ? write : Promise.all([writes, write])
      // Callers of `settled` get the error.
      all.catch(() => undefined)
      writes = all
    },
    async settled() {
      await writes
    },
  }
}
