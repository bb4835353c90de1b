/**
 * The processor time of two ways to do the same work, measured in turns in one process: on a shared
 * machine it depends less on the neighbours than the clock.
 */
export interface Comparison {
  /** Milliseconds, median. */
  readonly bound: number
  readonly ours: number
  /** Ours divided by the bound. */
  readonly ratio: number
}

const WARM_UP_MS = 1500

/** Runs both in turns and compares their medians; both warm up for at least a second. */
export function compare(
  bound: () => unknown,
  ours: () => unknown,
  { rounds = 9, repeat = 1 }: { readonly rounds?: number; readonly repeat?: number } = {},
): Comparison {
  const times: { bound: number[]; ours: number[] } = { bound: [], ours: [] }
  const start = performance.now()
  while (performance.now() - start < WARM_UP_MS) {
    bound()
    ours()
  }
  for (let round = 0; round < rounds; round += 1) {
    const boundTime = timeOf(bound, repeat)
    const oursTime = timeOf(ours, repeat)
    times.bound.push(boundTime)
    times.ours.push(oursTime)
  }
  const result = { bound: median(times.bound), ours: median(times.ours) }
  return { ...result, ratio: result.ours / result.bound }
}

/** The same for work that waits: the time of the processor, not of the clock. */
export async function compareAsync(
  bound: () => Promise<unknown>,
  ours: () => Promise<unknown>,
  { rounds = 9 }: { readonly rounds?: number } = {},
): Promise<Comparison> {
  const times: { bound: number[]; ours: number[] } = { bound: [], ours: [] }
  const start = performance.now()
  while (performance.now() - start < WARM_UP_MS) {
    await bound()
    await ours()
  }
  for (let round = 0; round < rounds; round += 1) {
    times.bound.push(await timeOfAsync(bound))
    times.ours.push(await timeOfAsync(ours))
  }
  const result = { bound: median(times.bound), ours: median(times.ours) }
  return { ...result, ratio: result.ours / result.bound }
}

async function timeOfAsync(work: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.({ type: 'minor' })
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

function timeOf(work: () => unknown, repeat: number): number {
  // Collects the young generation only: a full collection while nothing is in use makes V8 forget the
  // shapes of objects and with them the compiled code, which does not happen to a busy process.
  globalThis.gc?.({ type: 'minor' })
  const start = process.cpuUsage()
  for (let i = 0; i < repeat; i += 1) work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000 / repeat
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Bytes in use after a collection. */
export function heapUsed(): number {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
