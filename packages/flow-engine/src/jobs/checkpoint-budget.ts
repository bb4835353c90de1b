import { isMark } from '../graph/durable/checkpoint.ts'

/** Tracks how much of `checkpointBytes` the checkpoints and steps of a job use. */
export interface CheckpointBudget {
  /** Reserves space for a state, replacing an earlier one of that name; false if there is not enough. */
  take(name: string, state: string): boolean
}

/** @param stored states stored by earlier claims of the job */
export function createCheckpointBudget(
  most: number,
  stored: Iterable<readonly [name: string, state: string]>,
): CheckpointBudget {
  const sizes = new Map<string, number>()
  let taken = 0
  const put = (name: string, size: number): void => {
    taken += size - (sizes.get(name) ?? 0)
    sizes.set(name, size)
  }
  for (const [name, { length }] of stored) put(name, length)
  return {
    take(name, state) {
      // Marks are always accepted: they are small, and without them a vertex could run twice.
      if (!isMark(state) && taken - (sizes.get(name) ?? 0) + state.length > most) return false
      put(name, state.length)
      return true
    },
  }
}
