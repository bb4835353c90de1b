import { eventLoopTurn } from './event-loop-turn.ts'

/** Units of work, such as cells, between two turns of the event loop. */
const TURN = 100_000

/**
 * Counts units of work; true when it is time to yield to the event loop:
 * `if (step(row.length)) await eventLoopTurn()`.
 */
export function createWorkBudget(turn = TURN): (units: number) => boolean {
  let done = 0
  return (units) => {
    done += units
    if (done < turn) return false
    done = 0
    return true
  }
}

/** Work in parts that may be interrupted at each `yield`. */
export type CooperativeWork<T> = Generator<void, T, void>

/** Runs all parts in the current turn. */
export function finish<T>(work: CooperativeWork<T>): T {
  for (;;) {
    const part = work.next()
    if (part.done === true) return part.value
  }
}

/** Runs the parts, yielding to the event loop between them. */
export async function finishCooperatively<T>(work: CooperativeWork<T>): Promise<T> {
  for (;;) {
    const part = work.next()
    if (part.done === true) return part.value
    await eventLoopTurn()
  }
}

/** Runs the first part now, and any others after yielding to the event loop. */
export function finishSoon<T>(work: CooperativeWork<T>): T | Promise<T> {
  const part = work.next()
  return part.done === true ? part.value : eventLoopTurn().then(() => finishCooperatively(work))
}

/** Items that are mapped in one part. */
const PART = 10_000

/** Maps a list in parts. */
export function* mapSteps<T, R>(
  list: readonly T[],
  map: (item: T, at: number) => R,
): CooperativeWork<R[]> {
  const mapped: R[] = []
  for (const [at, item] of list.entries()) {
    mapped.push(map(item, at))
    if (at % PART === PART - 1) yield
  }
  return mapped
}
