import { OpenAiRefusal } from './openai-refusal.ts'

/** Counts the runs of each user (RS-50). */
export interface RunPlaces {
  /**
   * The events of a run, which free its place when they end or their reader leaves.
   * @throws OpenAiRefusal 429
   */
  hold<E>(userId: string, start: () => AsyncIterable<E>): AsyncIterable<E>
}

export function createRunPlaces(most: number): RunPlaces {
  const taken = new Map<string, number>()
  const check = (userId: string): void => {
    if ((taken.get(userId) ?? 0) < most) return
    const message = `At most ${most} runs of a user go on at once. Wait for one to end.`
    throw new OpenAiRefusal(429, { code: 'rate_limit_exceeded', message })
  }
  /** A stream begins when it is first read: its place is taken then, and may be gone by then. */
  async function* counted<E>(
    userId: string,
    start: () => AsyncIterable<E>,
  ): AsyncGenerator<E, void, undefined> {
    check(userId)
    taken.set(userId, (taken.get(userId) ?? 0) + 1)
    try {
      yield* start()
    } finally {
      const left = (taken.get(userId) ?? 1) - 1
      if (left === 0) taken.delete(userId)
      else taken.set(userId, left)
    }
  }
  return {
    hold(userId, start) {
      check(userId)
      return counted(userId, start)
    },
  }
}
