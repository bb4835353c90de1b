import type { Runtime } from '@x/wire'
import type { FlowRun } from '../graph/context/run-options.ts'

/** How far a run is (MC-26). */
export interface Progress {
  /** Vertices that have finished. */
  readonly progress: number
  /** Vertices that will run, as far as is known. */
  readonly total: number
  /** Display name of the vertex that finished last. */
  readonly message: string
}

/** Milliseconds between two notifications: 20 a second. */
const LEAST_GAP_MS = 50

/**
 * Reports the progress of a run as its vertices finish: the first one at once, then at most 20 a
 * second. Resolves when the run has ended; before that the last report of a run that succeeded says
 * that all is done.
 */
export async function reportProgress(
  run: FlowRun,
  send: (progress: Progress) => void,
  { nameOf, runtime }: { nameOf: (vertexId: string) => string; runtime: Pick<Runtime, 'now'> },
): Promise<void> {
  let finished = 0
  let total = 0
  let sent = 0
  let sentAt = Number.NEGATIVE_INFINITY
  let message = ''
  const tell = (progress: number): void => {
    sent = progress
    sentAt = runtime.now().getTime()
    send({ progress, total, message })
  }
  for await (const { event, data } of run) {
    if (event === 'vertices_sorted') total = data.to_run.length
    if (event !== 'end_vertex') continue
    finished += 1
    total = Math.max(total, finished)
    message = nameOf(data.build_data.id)
    if (runtime.now().getTime() - sentAt >= LEAST_GAP_MS) tell(finished)
  }
  const { status } = await run.result
  // Vertices of branches that were not taken do not run.
  if (status === 'succeeded' && sent < total) tell(total)
}
