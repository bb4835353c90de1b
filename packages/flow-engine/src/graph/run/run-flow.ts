import type { FlowRun, RunOptions } from '../context/run-options.ts'
import { readRunOptions } from './read-run-options.ts'
import { rejectedRun } from './refused-run.ts'
import { startRun } from './run.ts'
import type { OptionArguments, RunOf } from './typed-run.ts'

/**
 * Runs a flow, a plan, or a draft (which brings its own components). Starts in a microtask and never throws:
 * errors arrive as events and through `result`. With a wrong option there are no events: `result`, `textStream`
 * and the run itself reject with the same OptionError, a TypeError.
 */
export function runFlow<F>(flow: F, ...options: OptionArguments<F>): RunOf<F>
export function runFlow(flow: unknown, given: RunOptions = {}): FlowRun {
  let options: RunOptions
  try {
    options = readRunOptions('runFlow', flow, given)
  } catch (error) {
    return rejectedRun(error)
  }
  return startRun(flow, options, {})
}
