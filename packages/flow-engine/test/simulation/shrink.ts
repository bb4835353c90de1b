import type { Size } from './jobs-scenario.ts'
import { simulate } from './simulate.ts'

/**
 * The smallest size with which a seed still fails: fewer jobs, then fewer processes, then no faults. Undefined
 * if no smaller one does.
 */
export async function shrink(
  seed: number,
  size: Size,
  isOver: () => boolean,
): Promise<string | undefined> {
  let best = size
  for (const part of ['jobs', 'hosts', 'faults'] as const) {
    const least = part === 'faults' ? 0 : 1
    for (let value = least; value < best[part] && !isOver(); value += 1) {
      const smaller = { ...best, [part]: value }
      if ((await simulate(seed, { size: smaller })).failure === undefined) continue
      best = smaller
      break
    }
  }
  return best === size ? undefined : `${best.jobs}.${best.hosts}.${best.faults}`
}
