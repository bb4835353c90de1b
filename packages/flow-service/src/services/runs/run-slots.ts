import { refuse } from '../../refusal.ts'

/** Limits the concurrent runs of each user. */
export interface RunSlots {
  /**
   * Takes a slot; the returned function releases it.
   * @throws the error from `full`; default: Refusal 429
   */
  take(userId: string): () => void
  /** Events of a run; its slot is released when they end or their reader stops. Throws like `take`. */
  hold<E>(userId: string, start: () => AsyncIterable<E>): AsyncIterable<E>
}

/** @param full creates the error for more than `most` runs of a user */
export function createRunSlots(
  most: number,
  full: (message: string) => Error = (message) =>
    refuse(429, message, { headers: { 'retry-after': '5' } }),
): RunSlots {
  const taken = new Map<string, number>()
  const check = (userId: string): void => {
    if ((taken.get(userId) ?? 0) < most) return
    throw full(
      `You already have ${most} ${most === 1 ? 'run' : 'runs'} in progress, which is the limit. Try again when one has finished.`,
    )
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
  /** A stream starts when it is first read; the slot is taken then, so that may fail. */
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
