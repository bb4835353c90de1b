import { FUZZ_MEASURES, runCases, type FuzzOptions, type FuzzResult } from '../src/index.ts'

export type Faults = Pick<FuzzResult, 'failures' | 'superlinear'>

/** The findings of a clean run. */
export const NO_FAULTS: Faults = { failures: [], superlinear: [] }

/** Runs the cases of a fuzzer; prints the slowest inputs of the long run. */
export async function findFaults(options: FuzzOptions): Promise<Faults> {
  const { failures, superlinear, report } = await runCases(options)
  if (FUZZ_MEASURES) process.stdout.write(`${report}\n`)
  return { failures, superlinear }
}
