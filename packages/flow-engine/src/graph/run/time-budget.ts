import { sharedBudgetOf } from '../../components/define/call-budget.ts'
import { exceeded } from '../context/run-spending.ts'
import type { OpenRun } from './open-run.ts'
import { deadlinesOf } from './run-deadlines.ts'

/** Ends a run when the seconds of its budget, or of one that it shares, are over. */
export function watchSeconds(
  run: Pick<OpenRun, 'budget' | 'exceed' | 'host' | 'options' | 'result' | 'runtime'>,
): void {
  const { budget, host, options } = run
  const shared = host.depth === undefined ? sharedBudgetOf(options.services) : undefined
  const stop = shared?.work((error) => run.exceed(error))
  if (stop !== undefined) run.result.then(stop, stop)
  const seconds = budget?.seconds
  if (seconds === undefined) return
  const left = Math.max(0, seconds - (host.used?.seconds ?? 0))
  const deadline = {
    deadline: run.runtime.now().getTime() + left * 1000,
    overdue: () => run.exceed(exceeded('seconds', seconds, seconds)),
  }
  const deadlines = deadlinesOf(run.runtime)
  deadlines.add(deadline)
  void run.result.then(() => deadlines.remove(deadline))
}
