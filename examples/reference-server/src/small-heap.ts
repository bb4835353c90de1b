import { setFlagsFromString } from 'node:v8'

/**
 * Lets the heap grow by 45 % of its live size between collections. By default a heap this small may grow
 * fourfold, filled only with garbage of finished runs. The young generation is collected by one thread,
 * because it is so small that several would mostly wait for each other.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=45')
  setFlagsFromString('--no-parallel-scavenge')
}
