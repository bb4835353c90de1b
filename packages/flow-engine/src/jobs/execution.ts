import { FlowError } from '../errors.ts'
import type { FlowRun } from '../graph/context/run-options.ts'
import type { SpentBefore } from '../graph/plan/run-budget.ts'
import type { ClaimedJob, JobOutcome } from '../store/job-store.ts'
import type { BuildRequest } from './build-request.ts'
import type { Lease } from './lease.ts'
import type { LiveJob } from './live-job.ts'

export interface JobExecutionOptions {
  readonly job: ClaimedJob
  readonly request: BuildRequest
  readonly live: LiveJob
  /** Undefined if no other process can take the job. */
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
  /** What the job has used, if it has a budget. */
  spent: SpentBefore | undefined = undefined
  /** Set once the queue has recorded it. */
  outcome: JobOutcome | undefined = undefined
  /** True once the log has rejected an event. */
  refused = false
  /** Crashed before and has completed no step since. */
  isSuspect: boolean
  #lost = false
  #released = false
  #handsOver = false
  /** Running vertices that must not run twice. */
  readonly #unrepeatable = new Set<string>()
  #whenRepeatable: (() => void) | undefined

  constructor({ job, request, live, lease, fence, firstSeq }: JobExecutionOptions) {
    this.job = job
    this.request = request
    this.live = live
    this.lease = lease
    this.fence = fence
    this.firstSeq = firstSeq
    this.isSuspect = job.crashes > 0
    lease?.signal.addEventListener('abort', () => this.cancel(), { once: true })
  }

  /** The job continues in another process: nothing more is written or removed here. */
  get lost(): boolean {
    return this.#lost || this.lease?.held() === false
  }

  cancel(reason = wasCancelled()): void {
    this.live.cancel(reason)
  }

  /** False once another process is to continue the job, or has it. */
  get mayStart(): boolean {
    return !this.#handsOver && !this.lost
  }

  /** Starts no further vertex: the job is released when those that run have their checkpoints. */
  handOver(): void {
    this.#handsOver = true
  }

  /** Nothing runs any more, and something is left to start. */
  left(): void {
    if (this.#handsOver) this.giveBack()
  }

  /** Stops the run without an end; the job returns to the queue. */
  giveBack(): void {
    this.#released = true
    this.lose()
  }

  /** The job is to be returned to the queue once its run has stopped. */
  get released(): boolean {
    return this.#released
  }

  /** Called with each checkpoint: a vertex that must not run twice has started, or its state is known. */
  noteCheckpoint(vertexId: string, isStart: boolean): void {
    if (isStart) this.#unrepeatable.add(vertexId)
    else if (this.#unrepeatable.delete(vertexId) && this.#unrepeatable.size === 0)
      this.#whenRepeatable?.()
  }

  /**
   * Stops the run so that another process can continue it, as soon as no vertex that must not run twice is
   * running.
   * @param late resolves when the grace period for that is over
   */
  release(late: Promise<void>): void {
    const stop = (): void => this.giveBack()
    if (this.#unrepeatable.size === 0) {
      stop()
      return
    }
    this.#whenRepeatable = stop
    late.then(stop, () => undefined)
  }

  /** Stops the run without an end, because another process continues the job. */
  lose(): void {
    this.#lost = true
    this.cancel()
  }
}

export const wasCancelled = (): FlowError => new FlowError('cancelled', 'The build was cancelled')

/** A shutdown ended the job. */
export const wasStopped = (): FlowError =>
  new FlowError('interrupted', 'The server stopped before the build was finished.')
