import type { RunSlots } from './run-slots.ts'
import type { RunQuota } from './run-quota.ts'

/** What a run holds of the limits of its user. */
export interface Reservation {
  /** The run has ended: its place is free, and it stays counted as one of the day. */
  readonly release: () => void
  /** Nothing was started: as if the user had not tried. Rejects if the store of quotas fails. */
  readonly undo: () => Promise<void>
}

/** The limits of users that every run passes, cheapest first; a refused run costs nothing. */
export interface Admission {
  /**
   * Admits a run of this process: a place among those that go on at once, then one of the day.
   * @throws Refusal 429, StoreUnavailableError
   */
  run(userId: string): Promise<Reservation>
  /**
   * Admits a job: one of the day. Its queue limits how many wait, and its workers how many go on.
   * @throws Refusal 429, StoreUnavailableError
   */
  job(userId: string): Promise<Reservation>
}

export function createAdmission({
  places,
  quota,
}: {
  readonly places: Pick<RunSlots, 'take'>
  readonly quota: RunQuota
}): Admission {
  return {
    async run(userId) {
      const release = places.take(userId)
      try {
        const giveBack = await quota.take(userId)
        return {
          release,
          undo() {
            release()
            return giveBack()
          },
        }
      } catch (error) {
        release()
        throw error
      }
    },
    async job(userId) {
      return { release: () => undefined, undo: await quota.take(userId) }
    },
  }
}
