import { eventLoopTurn } from './event-loop-turn.ts'
import { createWorkBudget } from './steps.ts'

/** Items that are sorted in one turn of the event loop. */
const RUN = 10_000

/** Sorts stably like `toSorted`; yields to the event loop while a long list is sorted. */
export async function sortCooperatively<T>(
  list: readonly T[],
  compare: (one: T, other: T) => number,
): Promise<T[]> {
  if (list.length <= RUN) return list.toSorted(compare)
  let runs: T[][] = []
  for (let at = 0; at < list.length; at += RUN) {
    runs.push(list.slice(at, at + RUN).toSorted(compare))
    await eventLoopTurn()
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

/** Merges two sorted lists; of equal items, those of the first come first. */
async function merge<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (one: T, other: T) => number,
): Promise<T[]> {
  const step = createWorkBudget(RUN)
  const merged: T[] = []
  let at = 0
  for (const item of first) {
    for (; at < second.length; at += 1) {
      const other = second[at] as T
      if (compare(item, other) <= 0) break
      merged.push(other)
      if (step(1)) await eventLoopTurn()
    }
    merged.push(item)
    if (step(1)) await eventLoopTurn()
  }
  for (; at < second.length; at += 1) merged.push(second[at] as T)
  return merged
}
