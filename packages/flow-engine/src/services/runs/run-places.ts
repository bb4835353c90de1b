import { refuse } from '../../refusal.ts'

/** Counts what runs of each user go on at once. */
export interface RunPlaces {
  /**
   * Takes a place; the function gives it back.
   * @throws what `full` makes: Refusal 429 by default
   */
  take(userId: string): () => void
  /** The events of a run, which free its place when they end or their reader leaves. Throws as `take`. */
  hold<E>(userId: string, start: () => AsyncIterable<E>): AsyncIterable<E>
}

/** @param full the refusal over `most` runs of a user */
export function createRunPlaces(
  most: number,
  full: (message: string) => Error = (message) =>
    refuse(429, message, { headers: { 'retry-after': '5' } }),
): RunPlaces {
  const taken = new Map<string, number>()
  const check = (userId: string): void => {
    if ((taken.get(userId) ?? 0) < most) return
    throw full(`At most ${most} runs of a user go on at once. Wait for one to end.`)
  }
  const take = (userId: string): (() => void) => {
    check(userId)
    taken.set(userId, (taken.get(userId) ?? 0) + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      const left = (taken.get(userId) ?? 1) - 1
      if (left === 0) taken.delete(userId)
      else taken.set(userId, left)
    }
  }
  /** A stream begins when it is first read: its place is taken then, and may be gone by then. */
  async function* counted<E>(
    userId: string,
    start: () => AsyncIterable<E>,
  ): AsyncGenerator<E, void, undefined> {
    const free = take(userId)
    try {
      yield* start()
    } finally {
      free()
    }
  }
  return {
    take,
    hold(userId, start) {
      check(userId)
      return counted(userId, start)
    },
  }
}
