import { sharedBudgetOf } from '../../components/define/call-budget.ts'
import type { RunHost } from '../context/run-host.ts'
import type { RunRequest } from '../context/run-request.ts'
import { exceeded } from '../context/run-spending.ts'
import { deadlinesOf } from './run-deadlines.ts'
import type { RunExecution } from './run-execution.ts'

/** Ends a run when the seconds of its budget, or of one that it shares, are over. */
export function watchSeconds(
  { budget, runtime, options }: Pick<RunRequest, 'budget' | 'runtime' | 'options'>,
  execution: Pick<RunExecution, 'exceed' | 'result'>,
  { depth, used }: Pick<RunHost, 'depth' | 'used'>,
): void {
  const shared = depth === undefined ? sharedBudgetOf(options.services) : undefined
  const stop = shared?.work((error) => execution.exceed(error))
  if (stop !== undefined) execution.result.then(stop, stop)
  const seconds = budget?.seconds
  if (seconds === undefined) return
  const deadline = {
    deadline: runtime.now().getTime() + Math.max(0, seconds - (used?.seconds ?? 0)) * 1000,
    overdue: () => execution.exceed(exceeded('seconds', seconds, seconds)),
  }
  const deadlines = deadlinesOf(runtime)
  deadlines.add(deadline)
  void execution.result.then(() => deadlines.remove(deadline))
}
