/** Runs work of one key one after another, work of different keys side by side. */
export type KeyedQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** A queue for each key, in this process; a key without work costs nothing. */
export function createKeyedQueue(): KeyedQueue {
  const last = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    last.set(key, mine)
    try {
      return await mine
    } finally {
      if (last.get(key) === mine) last.delete(key)
    }
  }
}
