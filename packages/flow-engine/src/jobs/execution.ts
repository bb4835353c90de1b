import { FlowError } from '../errors.ts'
import type { FlowRun } from '../graph/context/run-options.ts'
import type { ClaimedJob, JobOutcome } from '../store/job-store.ts'
import type { BuildRequest } from './build-jobs.ts'
import type { Lease } from './lease.ts'
import type { LiveJob } from './live-job.ts'

export interface ExecutionOptions {
  readonly job: ClaimedJob
  readonly request: BuildRequest
  readonly live: LiveJob
  /** Undefined where no other process can take the job. */
  readonly lease: Lease | undefined
  /** Fencing token of the claim; undefined if no other claim is possible and there was none before. */
  readonly fence: number | undefined
  readonly firstSeq: number
}

/** One run of a claimed job in this process. */
export class Execution {
  readonly job: ClaimedJob
  readonly request: BuildRequest
  readonly live: LiveJob
  readonly lease: Lease | undefined
  readonly fence: number | undefined
  readonly firstSeq: number
  run: FlowRun | undefined = undefined
  /** The outcome of the job; set once the queue knows it. */
  outcome: JobOutcome | undefined = undefined
  /** True once the log has refused an event. */
  refused = false
  #lost = false
  #released = false
  /** Vertices under way that may not be run twice. */
  readonly #unrepeatable = new Set<string>()
  #whenRepeatable: (() => void) | undefined

  constructor({ job, request, live, lease, fence, firstSeq }: ExecutionOptions) {
    this.job = job
    this.request = request
    this.live = live
    this.lease = lease
    this.fence = fence
    this.firstSeq = firstSeq
    lease?.signal.addEventListener('abort', () => this.cancel(), { once: true })
  }

  /** The job goes on in another process: nothing more is written or removed here (DR-7, DR-12). */
  get lost(): boolean {
    return this.#lost || this.lease?.held() === false
  }

  cancel(): void {
    this.live.cancel(wasCancelled())
  }

  /** The job is to be given back to the queue once its run has stopped (DR-12). */
  get released(): boolean {
    return this.#released
  }

  /**
   * Called with each checkpoint: a vertex that must not run twice has begun, or its state is known.
   */
  noteCheckpoint(vertexId: string, isStart: boolean): void {
    if (isStart) this.#unrepeatable.add(vertexId)
    else if (this.#unrepeatable.delete(vertexId) && this.#unrepeatable.size === 0)
      this.#whenRepeatable?.()
  }

  /**
   * Stops the run for another process, as soon as nothing is under way that may not be run twice.
   * @param late resolves when that was waited for long enough
   */
  release(late: Promise<void>): void {
    const stop = (): void => {
      this.#released = true
      this.lose()
    }
    if (this.#unrepeatable.size === 0) {
      stop()
      return
    }
    this.#whenRepeatable = stop
    late.then(stop, () => undefined)
  }

  /** Stops the run without an end; another process goes on with the job. */
  lose(): void {
    this.#lost = true
    this.cancel()
  }
}

export const wasCancelled = (): FlowError => new FlowError('cancelled', 'The build was cancelled')
