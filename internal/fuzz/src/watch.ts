import { processorMs } from './processor-ms.ts'

/** The cost of one case. */
export interface TimedCase {
  readonly label: string
  /** Characters of the input. */
  readonly size: number
  /** Milliseconds of processor time, unless the watch has another clock. */
  readonly ms: number
}

/** Keeps the slowest cases of a run. */
export interface Watch {
  /** Runs a case and notes its time, also when it throws. */
  time<T>(label: string, size: number, run: () => T | Promise<T>): Promise<T>
  readonly slowest: readonly TimedCase[]
  /** The slowest cases as lines of text, slowest first. */
  report(title: string): string
}

/**
 * A watch that keeps `keep` cases, 20 by default.
 * @param now milliseconds of a clock; by default those of processor time, which other processes do not change
 */
export function createWatch(keep = 20, now = processorMs): Watch {
  const slowest: TimedCase[] = []
  return {
    slowest,
    async time(label, size, run) {
      const begin = now()
      try {
        return await run()
      } finally {
        const ms = now() - begin
        const place = slowest.findIndex((other) => other.ms < ms)
        if (place !== -1) slowest.splice(place, 0, { label, size, ms })
        else if (slowest.length < keep) slowest.push({ label, size, ms })
        if (slowest.length > keep) slowest.pop()
      }
    },
    report: (title) =>
      [
        `${title}: the slowest ${slowest.length} inputs`,
        ...slowest.map(
          ({ label, size, ms }) =>
            `${ms.toFixed(1).padStart(9)} ms ${String(size).padStart(9)} chars  ${label.slice(0, 160)}`,
        ),
      ].join('\n'),
  }
}
