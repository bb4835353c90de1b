import { append } from '@x/wire'
import type { RunRequest } from '../context/run-request.ts'
import type { RunOutcome } from '../results/run-outcome.ts'
import type { Scheduler } from '../schedule/scheduler.ts'
import { problemsOfCycles, stalledVertices } from '../schedule/stalled.ts'

/** Records the vertices that were still waiting for a cycle. */
export function noteStalled(
  outcome: RunOutcome,
  { graph, slice }: RunRequest,
  { root, scopes }: Scheduler,
): void {
  const stalled = stalledVertices({ graph, slice, root, scopes })
  outcome.stalled = stalled.map((vertex) => vertex.id)
  append(outcome.warnings, problemsOfCycles(stalled))
}
