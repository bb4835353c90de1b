import { exceeded } from '../context/run-spending.ts'
import type { OpenRun } from './open-run.ts'
import { deadlinesOf } from './run-deadlines.ts'

/** Ends a run when the seconds of its budget are over. */
export function watchSeconds(
  run: Pick<OpenRun, 'exceed' | 'result' | 'runtime'>,
  seconds: number,
): void {
  const deadline = {
    deadline: run.runtime.now().getTime() + seconds * 1000,
    overdue: () => run.exceed(exceeded('seconds', seconds, seconds)),
  }
  const deadlines = deadlinesOf(run.runtime)
  deadlines.add(deadline)
  void run.result.then(() => deadlines.remove(deadline))
}
