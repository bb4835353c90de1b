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
  /** Of the claim; undefined where no other claim is possible, and none came before. */
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
  /** How the job ended; only once the queue knows it. */
  outcome: JobOutcome | undefined = undefined
  /** Whether the log has refused an event. */
  refused = false
  #lost = false

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

  /** Stops the run without an end; another process goes on with the job. */
  lose(): void {
    this.#lost = true
    this.cancel()
  }
}

export const wasCancelled = (): FlowError => new FlowError('cancelled', 'The build was cancelled')
