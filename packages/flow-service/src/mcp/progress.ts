import type { Runtime } from '@x/wire'
import type { RunEvent } from '@x/flow-engine'
import type { FlowRun } from '@x/flow-engine'

/** The progress of a run. */
export interface Progress {
  /** Number of finished vertices. */
  readonly progress: number
  /** Number of vertices that will run, as far as known. */
  readonly total: number
  /** Display name of the vertex that finished last. */
  readonly message: string
}

/** Most notifications within any second. */
const MOST = 20
const SECOND_MS = 1000

export interface ProgressReportOptions {
  readonly send: (progress: Progress) => void
  readonly nameOf: (vertexId: string) => string
  readonly runtime: Pick<Runtime, 'now'>
}

/** Counts finished vertices and reports each, but at most 20 within a second; those beyond are merged. */
export class ProgressReport {
  readonly #options: ProgressReportOptions
  #finished = 0
  #total = 0
  #sent = 0
  /** When the last ones were sent. */
  readonly #times: number[] = []
  #message = ''

  constructor(options: ProgressReportOptions) {
    this.#options = options
  }

  take({ event, data }: RunEvent): void {
    if (event === 'vertices_sorted') this.#total = data.to_run.length
    if (event !== 'end_vertex') return
    this.#finished += 1
    this.#total = Math.max(this.#total, this.#finished)
    this.#message = this.#options.nameOf(data.build_data.id)
    const since = this.#options.runtime.now().getTime() - (this.#times[0] ?? 0)
    if (this.#times.length < MOST || since >= SECOND_MS) this.#tell(this.#finished)
  }

  /** The run has succeeded: vertices of branches that were not taken will not run. */
  finish(): void {
    if (this.#sent < this.#total) this.#tell(this.#total)
  }

  #tell(progress: number): void {
    this.#sent = progress
    this.#times.push(this.#options.runtime.now().getTime())
    if (this.#times.length > MOST) this.#times.shift()
    this.#options.send({ progress, total: this.#total, message: this.#message })
  }
}

/**
 * Reports progress as the vertices of a run finish. Resolves when the run has ended; if it succeeded, the
 * last report is complete.
 */
export async function reportProgress(run: FlowRun, options: ProgressReportOptions): Promise<void> {
  const report = new ProgressReport(options)
  for await (const event of run) report.take(event)
  const { status } = await run.result
  if (status === 'succeeded') report.finish()
}
