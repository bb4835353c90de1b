import { expect } from 'vitest'
import { runCases, type FuzzOptions } from '../src/index.ts'

/** Runs the cases of a fuzzer; prints the slowest in the long run, and fails with the cases that broke a rule. */
export async function expectClean(options: FuzzOptions): Promise<void> {
  const { failures, superlinear, report } = await runCases(options)
  if (process.env['FUZZ_CASES'] !== undefined) process.stdout.write(`${report}\n`)
  expect({ failures, superlinear }).toEqual({ failures: [], superlinear: [] })
}
