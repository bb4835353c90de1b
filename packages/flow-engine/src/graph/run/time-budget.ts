import type { Runtime } from '@x/wire'
import type { FlowError } from '../../errors.ts'
import { exceeded } from '../context/run-spending.ts'
import { deadlinesOf } from './run-deadlines.ts'

/** Calls `exceed` when the seconds of a budget are over; returns a function that stops the clock. */
export function watchSeconds(
  seconds: number,
  runtime: Runtime,
  exceed: (error: FlowError) => void,
): () => void {
  const deadline = {
    deadline: runtime.now().getTime() + seconds * 1000,
    overdue: () => exceed(exceeded('seconds', seconds, seconds)),
  }
  deadlinesOf(runtime).add(deadline)
  return () => deadlinesOf(runtime).remove(deadline)
}
