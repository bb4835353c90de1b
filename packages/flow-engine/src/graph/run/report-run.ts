import type { RunResult } from '../context/run-options.ts'
import type { OpenRun } from './open-run.ts'

/** @param rests true if the run waits for an answer or a timer */
export function reportRunEnd(
  { reporter, outcome, host }: OpenRun,
  { status, spent }: Pick<RunResult, 'status' | 'spent'>,
  rests: boolean,
): void {
  if (reporter === undefined) return
  const { usage, error } = outcome
  const isElsewhere = host.mayStart?.() === false
  const used = { usage: { ...usage }, spent }
  if (rests || isElsewhere) reporter.end({ status: rests ? 'suspended' : 'released', ...used })
  else reporter.end({ status, ...used, ...(error === undefined ? {} : { error }) })
}
