import type { RunRequest } from '../context/run-request.ts'
import { exceeded } from '../context/run-spending.ts'
import { deadlinesOf } from './run-deadlines.ts'
import type { RunExecution } from './run-execution.ts'

/** Ends a run when the seconds of its budget are over. */
export function watchSeconds(
  { budget, runtime }: Pick<RunRequest, 'budget' | 'runtime'>,
  execution: Pick<RunExecution, 'exceed' | 'result'>,
): void {
  const seconds = budget?.seconds
  if (seconds === undefined) return
  const deadline = {
    deadline: runtime.now().getTime() + seconds * 1000,
    overdue: () => execution.exceed(exceeded('seconds', seconds, seconds)),
  }
  const deadlines = deadlinesOf(runtime)
  deadlines.add(deadline)
  void execution.result.then(() => deadlines.remove(deadline))
}
