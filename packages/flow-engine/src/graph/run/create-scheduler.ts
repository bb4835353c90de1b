import type { RunRequest } from '../context/run-request.ts'
import { Cuts } from '../schedule/cuts.ts'
import { Scheduler } from '../schedule/scheduler.ts'
import { lacksInput } from '../vertex/dead-fields.ts'

/** The scheduler of one run. */
export function createScheduler(request: RunRequest): Scheduler {
  const { graph, slice, strict } = request
  return new Scheduler({
    graph,
    slice,
    strict,
    cuts: new Cuts(graph, strict),
    lacksInput: (task) => lacksInput(task, request),
  })
}
