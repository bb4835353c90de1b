import type { Runtime } from './runtime.ts'

/**
 * A runtime for tests: its clock moves only with `advance`, its ids are a counter, its bytes are seeded.
 */
export interface TestRuntime extends Runtime {
  /** Moves the clock and resolves the due sleeps in order, running reactions to each. */
  advance(ms: number): Promise<void>
}

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

/**
 * @param options.start start of the clock. Default 2030-01-01T00:00:00Z
 * @param options.seed seed of the random bytes. Default 1
 */
export function createTestRuntime({
  start = new Date('2030-01-01T00:00:00.000Z'),
  seed = 1,
}: { readonly start?: Date; readonly seed?: number } = {}): TestRuntime {
  let now = start.getTime()
  let ids = 0
  let state = seed >>> 0
  let sleepers: Sleeper[] = []

  const nextByte = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  }

  return {
    now: () => new Date(now),
    uuid() {
      ids += 1
      return `00000000-0000-4000-8000-${ids.toString(16).padStart(12, '0')}`
    },
    randomBytes: (size) => Uint8Array.from({ length: size }, nextByte),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason as Error)
          return
        }
        const stop = (): void => {
          sleepers = sleepers.filter((other) => other !== sleeper)
          reject(signal?.reason as Error)
        }
        const sleeper: Sleeper = {
          at: now + ms,
          wake: () => {
            signal?.removeEventListener('abort', stop)
            resolve()
          },
        }
        sleepers.push(sleeper)
        signal?.addEventListener('abort', stop, { once: true })
      }),
    async advance(ms) {
      const end = now + ms
      await turns()
      for (;;) {
        const due = sleepers.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0]
        if (due === undefined) break
        sleepers = sleepers.filter((other) => other !== due)
        now = Math.max(now, due.at)
        due.wake()
        await turns()
      }
      now = end
    },
  }
}

/** Runs pending promise reactions, including nested ones. */
async function turns(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await Promise.resolve()
}
