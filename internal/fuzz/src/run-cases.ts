import { createDice, type Dice } from './dice.ts'
import { measureGrowth } from './growth.ts'
import { createWatch } from './watch.ts'

/** One input and its description. */
export interface FuzzCase {
  readonly label: string
  readonly input: unknown
}

export interface FuzzOptions {
  readonly title: string
  readonly make: (dice: Dice) => FuzzCase
  /** Handles one input. @throws when the answer breaks a rule */
  readonly run: (input: unknown) => unknown
  /** Cases whose time is not only their own (they start background work) are not measured again. Default true. */
  readonly repeatable?: boolean
}

/** The findings of a run of cases. */
export interface FuzzResult {
  /** Labels and messages of the cases that broke a rule, the first 10. */
  readonly failures: readonly string[]
  /** Slow cases whose time grows more than linearly. Empty unless the long run is asked for. */
  readonly superlinear: readonly string[]
  readonly report: string
}

/** Cases of each fuzzer: 100, or `FUZZ_CASES`. */
export const FUZZ_CASES = Number(process.env['FUZZ_CASES'] ?? 100)
const SEED = Number(process.env['FUZZ_SEED'] ?? 1)
/** Growth is a measurement of time, which runs of every day leave out. */
export const FUZZ_MEASURES = FUZZ_CASES >= 10_000

/** Makes and runs the cases; the slowest 20 are measured again at growing sizes. */
export async function runCases({
  title,
  make,
  run,
  repeatable = true,
}: FuzzOptions): Promise<FuzzResult> {
  const dice = createDice(SEED)
  const watch = createWatch()
  const inputs = new Map<string, unknown>()
  const failures: string[] = []
  for (let k = 0; k < FUZZ_CASES; k += 1) {
    const { label, input } = make(dice)
    const name = `#${k} ${label}`
    const size = JSON.stringify(input)?.length ?? 0
    try {
      await watch.time(name, size, () => run(input))
    } catch (error) {
      if (failures.length < 10) failures.push(`${name}: ${String(error)}`)
    }
    if (watch.slowest.some((slow) => slow.label === name)) inputs.set(name, input)
  }
  const superlinear: string[] = []
  for (const { label } of FUZZ_MEASURES && repeatable ? watch.slowest : []) {
    const growth = await measureGrowth(inputs.get(label), run)
    if (growth.superlinear) {
      superlinear.push(`${label}: ${growth.ms.map((ms) => `${ms.toFixed(1)} ms`).join(', ')}`)
    }
  }
  return { failures, superlinear, report: watch.report(title) }
}
