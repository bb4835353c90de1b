/** Maximum number of readers whose positions are stored, and of characters of their names. */
const MAX_READERS = 10_000
const MAX_CHARACTERS = 512 * 1024

export interface PollPositions {
  get(jobId: string, reader: string): number | undefined
  set(jobId: string, reader: string, seq: number): void
}

/**
 * The last `seq` returned to each reader of a job that sends no position of its own. Least recently used
 * entries are evicted; such a reader restarts at the first event.
 */
export function createPositions(): PollPositions {
  const positions = new Map<string, number>()
  let characters = 0
  const take = (key: string): number | undefined => {
    const seq = positions.get(key)
    if (positions.delete(key)) characters -= key.length
    return seq
  }
  const put = (key: string, seq: number): void => {
    positions.set(key, seq)
    characters += key.length
    for (const oldest of positions.keys()) {
      if (positions.size <= MAX_READERS && characters <= MAX_CHARACTERS) return
      take(oldest)
    }
  }
  return {
    get(jobId, reader) {
      const key = keyOf(jobId, reader)
      const seq = take(key)
      if (seq !== undefined) put(key, seq)
      return seq
    },
    set(jobId, reader, seq) {
      const key = keyOf(jobId, reader)
      take(key)
      put(key, seq)
    },
  }
}

const keyOf = (jobId: string, reader: string): string => JSON.stringify([jobId, reader])
