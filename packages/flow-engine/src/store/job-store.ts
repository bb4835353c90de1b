import type { Page } from './paging.ts'
import type { ScheduleStore } from './schedules.ts'

/** States of a job (FE-63). */
export type JobState = 'queued' | 'running' | 'suspended' | 'succeeded' | 'failed' | 'cancelled'

/** A job to be queued. */
export interface NewJob {
  readonly id: string
  readonly flowId: string
  readonly userId: string | null
  /** JSON text of what is to be run; opaque to the store. */
  readonly request: string
  /** True if it may continue after its process died (FE-63). */
  readonly resumable: boolean
  readonly createdAt: Date
  /** Which places it takes and whom it waits with; '' for ordinary jobs. Letters and dashes. */
  readonly lane: string
  /** `claim` leaves it while that many jobs of its user run in its lane; null: no limit. */
  readonly maxRunningPerUser: number | null
  /** Number of the version of the flow that it runs; null: the flow as it was (DR-63). */
  readonly flowVersion: number | null
  /** Session of its messages, where the request names one. */
  readonly sessionId: string | null
  /** `enqueue` refuses it when that many jobs of its lane are queued; null: no limit. */
  readonly maxQueued: number | null
}

/** A job as it is stored. */
export interface StoredJob extends Omit<NewJob, 'maxQueued'> {
  readonly state: JobState
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  /** Number of claims; the fencing token of the latest claim (DR-7). */
  readonly attempts: number
  readonly cancelRequested: boolean
  readonly error: { readonly code: string; readonly detail: string } | null
  /** Any JSON value: what it was suspended with; null of a job that sleeps. */
  readonly question: unknown
  /** Any JSON value: what it was resumed with; null before. */
  readonly answer: unknown
  /** Claims that ended without `finish`, `suspend` or `release` (DR-11). */
  readonly crashes: number
  /** When it was suspended last; null before. */
  readonly askedAt: Date | null
  /**
   * When `due` queues the suspended job: the end of its sleep, or of the time for an answer. Null:
   * never. `due` leaves it in place and `resume` clears it, so a claimed job tells which came first.
   */
  readonly wakeAt: Date | null
  /** Tokens that its runs used, those that ended or were suspended; null: none that a model told. */
  readonly usage: JobUsage | null
}

/** Tokens by the id of the vertex that used them. */
export type JobUsage = Readonly<Record<string, JobTokens>>

export interface JobTokens {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** A job in a list: without what it was asked and answered. */
export type ListedJob = Omit<StoredJob, 'request' | 'question' | 'answer'>

/** The jobs of one user that all conditions name. */
export interface JobListQuery {
  readonly userId: string
  readonly flowId?: string | undefined
  readonly sessionId?: string | undefined
  readonly states?: readonly JobState[] | undefined
  readonly lanes?: readonly string[] | undefined
  /** Queued at that time or later. */
  readonly from?: Date | undefined
  /** Queued at that time or earlier. */
  readonly to?: Date | undefined
  readonly offset: number
  readonly limit: number
}

/** The question or time that a suspended job waits for. */
export interface JobRest {
  /** Any JSON value; null of a job that sleeps. */
  readonly question: unknown
  readonly askedAt: Date
  readonly wakeAt: Date | null
  /** Replaces that of the job; left out: unchanged. */
  readonly usage?: JobUsage
}

/** Which suspended jobs are asked for. */
export interface PendingJobsQuery {
  readonly userId?: string | undefined
  readonly flowId?: string | undefined
  /** Id of a job: only those that were suspended after it. */
  readonly after?: string | undefined
  readonly limit: number
}

/** A job that a worker holds. */
export interface ClaimedJob extends StoredJob {
  readonly worker: string
  readonly leaseUntil: Date
}

/** The outcome of a job. */
export interface JobOutcome {
  readonly state: 'succeeded' | 'failed' | 'cancelled'
  readonly finishedAt: Date
  readonly error?: { readonly code: string; readonly detail: string }
  /** Replaces that of the job; left out: unchanged. */
  readonly usage?: JobUsage
}

/** Jobs of all processes that have not ended, by state. */
export interface OpenJobs {
  readonly queued: number
  readonly running: number
  readonly suspended: number
}

/** The queue of jobs (FE-62). Every step that decides is one atomic step. */
export interface JobQueue {
  /**
   * True if other processes claim from this queue too. If none do, the request of a job that cannot
   * be resumed is never read back and is stored as an empty string.
   */
  readonly shared: boolean
  /** @throws UniqueConflictError `job.id`; QueueFullError over `maxQueued` */
  enqueue(job: NewJob): Promise<void>
  /**
   * Takes the job that was queued first and may run (`maxRunningPerUser`): state running, one more
   * attempt, `startedAt` = now at the first one. Null if there is none. No two workers get one job.
   * @param lanes which lanes have room; all by default
   */
  claim(
    worker: string,
    leaseUntil: Date,
    now: Date,
    lanes?: readonly string[],
  ): Promise<ClaimedJob | null>
  /** Prolongs the lease: `lost` when the worker no longer holds the job, `cancel` when it is to stop. */
  heartbeat(jobId: string, worker: string, leaseUntil: Date): Promise<'kept' | 'lost' | 'cancel'>
  /** False when the worker no longer holds the job. */
  finish(jobId: string, worker: string, outcome: JobOutcome): Promise<boolean>
  /**
   * Puts a running job back into the queue, behind those that wait; counts no crash (DR-12). False when
   * the worker no longer holds the job.
   */
  release(jobId: string, worker: string): Promise<boolean>
  /** State suspended, lease given up. False when the worker no longer holds the job. */
  suspend(jobId: string, worker: string, rest: JobRest): Promise<boolean>
  /**
   * Queues a suspended job again, with the answer. False when it is not suspended.
   * @param attempts only while it rests since that claim: an answer to an earlier question is refused
   */
  resume(jobId: string, answer: unknown, now: Date, attempts?: number): Promise<boolean>
  /** Queues the suspended jobs again whose `wakeAt` has come, and gives their ids. */
  due(now: Date): Promise<string[]>
  /** Suspended jobs with a question, in the order in which they were suspended. */
  pending(query: PendingJobsQuery): Promise<StoredJob[]>
  /**
   * Marks a job that has not ended. One that is queued or suspended is cancelled at once
   * (`finishedAt` = now). False when it is unknown or has ended.
   */
  requestCancel(jobId: string, now: Date): Promise<boolean>
  /**
   * Running jobs whose lease ended before `now`, oldest first, as they were. Resumable ones are put
   * back into the queue in the same step, with one more crash; the others stay as they are, for `finish(id, worker)`.
   */
  expired(now: Date): Promise<ClaimedJob[]>
  get(jobId: string): Promise<StoredJob | null>
  /** For metrics (OP-8); a queue without it is not counted. */
  countOpen?(): Promise<OpenJobs>
  /** Newest first, by the time at which they were queued, then by id (OP-5). Without it nobody sees a list. */
  list?(query: JobListQuery): Promise<Page<ListedJob>>
  /**
   * Removes jobs that finished before `before`, and of each lane the oldest finished ones beyond `keep`
   * - but of these none that finished at `spare` or later. Gives their ids.
   */
  trim(options: { before: Date; keep: number; spare?: Date }): Promise<string[]>
}

/** One event of a job. */
export interface StoredEvent {
  readonly seq: number
  readonly event: string
  /** JSON text. */
  readonly data: string
}

/**
 * The append-only log of a job's events (FE-60). It outlives claims, so it also keeps the fence of each
 * job: the number of the latest claim, below which nothing is written to log or checkpoints (DR-7).
 */
export interface EventLog {
  /**
   * From now on, writers with a lower fence are refused, including writes in progress. Gives the
   * number of the last event, -1 if there is none.
   * @throws StaleWriterError when the log was opened with a higher fence
   */
  open(jobId: string, fence: number): Promise<number>
  /**
   * All or nothing.
   * @param fence of the claim of the writer; without it the writer is not checked
   * @throws UniqueConflictError `event.seq` when a sequence number is taken
   * @throws StaleWriterError when the log was opened with a higher fence
   */
  append(jobId: string, events: readonly StoredEvent[], fence?: number): Promise<void>
  /** Number of the last event, -1 when there is none; reads one row. */
  lastSeq(jobId: string): Promise<number>
  /** Events with `seq` greater than `after`, ascending, at most `limit`. */
  read(jobId: string, after: number, limit: number): Promise<StoredEvent[]>
  /** No more events come; what was buffered is on disk when it resolves. */
  close(jobId: string): Promise<void>
  /** Removes events and fences. */
  remove(jobIds: readonly string[]): Promise<void>
}

/** Best-effort wake-up between processes; the log is the truth. */
export interface LiveBus {
  publish(channel: string, payload: string): void
  /** The function returned unsubscribes. */
  subscribe(channel: string, listener: (payload: string) => void): () => void
  /** Resolves when what was published so far has been sent to the other processes, or cannot be. */
  flush?(): Promise<void>
}

/** States of finished vertices of resumable jobs. */
export interface CheckpointStore {
  /**
   * Replaces the state of the same vertex.
   * @param fence of the claim of the writer; without it the writer is not checked
   * @throws StaleWriterError when the log of the job was opened with a higher fence (DR-7)
   */
  put(jobId: string, vertexId: string, state: string, fence?: number): Promise<void>
  /** In order of the first `put`. */
  list(jobId: string): Promise<{ vertexId: string; state: string }[]>
  remove(jobId: string): Promise<void>
}

/** Everything jobs need to be durable. */
export interface JobStore {
  readonly queue: JobQueue
  readonly log: EventLog
  readonly bus: LiveBus
  readonly checkpoints: CheckpointStore
  /** Missing where the store keeps no schedules (DR-58). */
  readonly schedules?: ScheduleStore
}
