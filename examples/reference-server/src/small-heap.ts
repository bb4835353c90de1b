import { setFlagsFromString } from 'node:v8'

/**
 * Lets the heap grow by 45 % of what is in use before it is collected. By default a heap as small as
 * this one may grow fourfold, which only fills memory with what runs have left behind. What is young is
 * collected by one thread: there is so little of it that others wait for each other most of the time.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=45')
  setFlagsFromString('--no-parallel-scavenge')
}
