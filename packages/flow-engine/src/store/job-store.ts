import type { FleetProcess, FleetState } from './fleet.ts'
import type { Page } from './paging.ts'
import type { ScheduleStore } from './schedules.ts'

/** States of a job. */
export type JobState = 'queued' | 'running' | 'suspended' | 'succeeded' | 'failed' | 'cancelled'

/** A job to queue. */
export interface NewJob {
  readonly id: string
  readonly flowId: string
  readonly userId: string | null
  /** JSON text describing what to run; opaque to the store. */
  readonly request: string
  /** True if it can continue after its process died. */
  readonly resumable: boolean
  readonly createdAt: Date
  /** Determines its slots and its queue; '' for ordinary jobs. Letters and dashes. */
  readonly lane: string
  /** `claim` skips it while this many jobs of its user run in its lane; null: no limit. */
  readonly maxRunningPerUser: number | null
  /** Version number of the flow it runs; null: the flow itself. */
  readonly flowVersion: number | null
  /** Session of its messages, if the request names one. */
  readonly sessionId: string | null
  /** Among the jobs of its user in its lane, those with a higher one go first; -10 to 10. */
  readonly priority: number
  /** `enqueue` rejects it if this many jobs of its lane are queued; null: no limit. */
  readonly maxQueued: number | null
}

/** A stored job. */
export interface StoredJob extends Omit<NewJob, 'maxQueued'> {
  readonly state: JobState
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  /** Number of claims; the fencing token of the latest claim. */
  readonly attempts: number
  readonly cancelRequested: boolean
  readonly error: { readonly code: string; readonly detail: string } | null
  /** The question it was suspended with, any JSON value; null if it sleeps. */
  readonly question: unknown
  /** The answer it was resumed with, any JSON value; null before that. */
  readonly answer: unknown
  /** Processes that died while running it, since it last completed a step. */
  readonly crashes: number
  /** When it was last suspended; null before that. */
  readonly askedAt: Date | null
  /**
   * When `due` queues the suspended job: at the end of its sleep, or when its question expires. Null: never.
   * `due` keeps the value and `resume` clears it, so a claimed job shows which came first.
   */
  readonly wakeAt: Date | null
  /** Tokens used by its finished or suspended runs; null if no model reported any. */
  readonly usage: JobUsage | null
}

/** Token usage by vertex id. */
export type JobUsage = Readonly<Record<string, JobTokens>>

export interface JobTokens {
  readonly inputTokens: number
  readonly outputTokens: number
}

/** A job in a list, without its request, question and answer. */
export type ListedJob = Omit<StoredJob, 'request' | 'question' | 'answer'>

/** Selects jobs of one user; all conditions apply. */
export interface JobListQuery {
  readonly userId: string
  readonly flowId?: string | undefined
  readonly sessionId?: string | undefined
  readonly states?: readonly JobState[] | undefined
  readonly lanes?: readonly string[] | undefined
  /** Queued at this time or later. */
  readonly from?: Date | undefined
  /** Queued at this time or earlier. */
  readonly to?: Date | undefined
  readonly offset: number
  readonly limit: number
}

/** The question or time a suspended job waits for. */
export interface JobSuspension {
  /** Any JSON value; null if the job sleeps. */
  readonly question: unknown
  readonly askedAt: Date
  readonly wakeAt: Date | null
  /** Replaces the job's usage; absent: unchanged. */
  readonly usage?: JobUsage
}

/** Selects suspended jobs. */
export interface PendingJobsQuery {
  readonly userId?: string | undefined
  readonly flowId?: string | undefined
  /** Job id: only jobs suspended after it. */
  readonly after?: string | undefined
  readonly limit: number
}

/** A job held by a worker. */
export interface ClaimedJob extends StoredJob {
  readonly worker: string
  readonly leaseUntil: Date
}

/** The outcome of a job. */
export interface JobOutcome {
  readonly state: 'succeeded' | 'failed' | 'cancelled'
  readonly finishedAt: Date
  readonly error?: { readonly code: string; readonly detail: string }
  /** Replaces the job's usage; absent: unchanged. */
  readonly usage?: JobUsage
  /** What the result has besides the log, for processes that did not run the job. */
  readonly result?: string
}

/** A job that began to run before it was stored. */
export interface StartedJob {
  readonly job: NewJob
  readonly worker: string
  readonly leaseUntil: Date
  readonly startedAt: Date
  /** What its log begins with. */
  readonly events: readonly StoredEvent[]
  readonly checkpoints: readonly { readonly vertexId: string; readonly state: string }[]
  /** Set if it has ended. */
  readonly outcome?: JobOutcome | undefined
}

/** Number of unfinished jobs of all processes, by state. */
export interface OpenJobs {
  readonly queued: number
  readonly running: number
  readonly suspended: number
}

/** See `JobQueue.claim`. */
export interface ClaimOptions {
  readonly suspects?: boolean | 'apart'
  readonly apart?: number
  readonly left?: (waiting: number) => void
}

/** The job queue. Every operation that changes a job's state is atomic. */
export interface JobQueue {
  /**
   * True if other processes also claim from this queue. If not, the request of a job that cannot be resumed
   * is never read back and is stored as an empty string.
   */
  readonly shared: boolean
  /** @throws UniqueConflictError `job.id`; QueueFullError over `maxQueued` */
  enqueue(job: NewJob): Promise<void>
  /** The same for several jobs, all or none; without it, jobs can only be queued one by one. */
  enqueueAll?(jobs: readonly NewJob[]): Promise<void>
  /**
   * Claims a job that may run (`maxRunningPerUser`): sets state running, increments `attempts`, and sets
   * `startedAt` on the first claim. Null if there is none. No job is given to two workers. Users take turns:
   * the one with the fewest running jobs of the lane is first, then the one whose next job waits longest; a
   * user's jobs go by `priority`, then in the order they were queued. Jobs without a user count as one user.
   * @param worker a new token for each claim: the name of the process, `/` and a number
   * @param lanes lanes with free slots; default: all
   * @param options `suspects` false: no job with `crashes`, because the process runs one; `apart`: number of
   * crashes of jobs that are to run alone, which only `suspects` `apart` claims, and nothing else then;
   * `left`: called with the number of jobs that still wait in the lanes, if the queue knows it
   */
  claim(
    worker: string,
    leaseUntil: Date,
    now: Date,
    lanes?: readonly string[],
    options?: ClaimOptions,
  ): Promise<ClaimedJob | null>
  /**
   * Stores a job that runs already, or has run, with its log and its checkpoints: all or nothing. It counts as
   * claimed once. A job that has ended may be lost in a power failure. Without this method jobs are queued
   * before they run.
   * @throws UniqueConflictError `job.id`
   */
  adopt?(started: StartedJob): Promise<void>
  /** True if a job with this many crashes is queued. Without this method no job runs alone. */
  waitsApart?(crashes: number): Promise<boolean>
  /** Renews the lease: `lost` if the worker no longer holds the job, `cancel` if it must stop. */
  heartbeat(jobId: string, worker: string, leaseUntil: Date): Promise<'kept' | 'lost' | 'cancel'>
  /** False if the worker no longer holds the job. */
  finish(jobId: string, worker: string, outcome: JobOutcome): Promise<boolean>
  /** The `result` of a finished job; null if it has none. Without this method, none is stored. */
  readResult?(jobId: string): Promise<string | null>
  /**
   * Returns a running job to the end of the queue without counting a crash. False if the worker no
   * longer holds the job.
   */
  release(jobId: string, worker: string): Promise<boolean>
  /**
   * Queues the jobs again, before others and without counting a crash, that were claimed with these tokens,
   * because the answers were lost. Without it, their leases have to run out.
   */
  unclaim?(workers: readonly string[]): Promise<void>
  /** Sets the crashes of a running job to 0, because it has completed a step. */
  absolve?(jobId: string, worker: string): Promise<boolean>
  /** Sets state suspended and gives up the lease. False if the worker no longer holds the job. */
  suspend(jobId: string, worker: string, rest: JobSuspension): Promise<boolean>
  /**
   * Queues a suspended job again with the answer. False if it is not suspended.
   * @param attempts resume only if suspended since that claim, so that an answer to an earlier question is
   * refused
   */
  resume(jobId: string, answer: unknown, now: Date, attempts?: number): Promise<boolean>
  /** Queues suspended jobs whose `wakeAt` has passed and returns their ids. */
  due(now: Date): Promise<string[]>
  /** Suspended jobs with a question, in the order they were suspended. */
  pending(query: PendingJobsQuery): Promise<StoredJob[]>
  /**
   * Requests cancellation of an unfinished job. Queued and suspended jobs are cancelled immediately
   * (`finishedAt` = now). False if it is unknown or has ended.
   */
  requestCancel(jobId: string, now: Date): Promise<boolean>
  /**
   * Running jobs of processes all of whose leases expired before `now`, oldest first. Resumable ones are queued
   * again in the same step, before others, with one more crash; if jobs with crashes are among those of a
   * process, only these are charged. The others are unchanged, to be ended with `finish(id, worker)`.
   * @param options `charge` false: the store was away, so no process is to blame; `patienceMs`: jobs whose own
   * lease expired that long ago are included too, uncharged, because their process lives without them
   */
  expired(
    now: Date,
    options?: { readonly charge?: boolean; readonly patienceMs?: number },
  ): Promise<ClaimedJob[]>
  /** The clock of the store, if it has one that all processes share. */
  now?(): Promise<Date>
  get(jobId: string): Promise<StoredJob | null>
  /** Records that a process lives. */
  seen?(process: FleetProcess): Promise<void>
  /** Forgets a process that has ended, and those that were not seen for 10 minutes. */
  gone?(name: string): Promise<void>
  /** For those who operate several processes; optional. */
  fleet?(): Promise<FleetState>
  /** For metrics; optional. */
  countOpen?(): Promise<OpenJobs>
  /** Newest first by queue time, then by id. Without it jobs cannot be listed. */
  list?(query: JobListQuery): Promise<Page<ListedJob>>
  /**
   * Removes jobs that finished before `before`, and in each lane the oldest finished ones beyond `keep`,
   * except those finished at `spare` or later, and jobs whose id begins with `once-` that finished at `once` or
   * later, and do not count for `keep`. Returns their ids.
   * @param options `most`: removes no more than these, if the store can; default: all
   */
  trim(options: {
    before: Date
    keep: number
    spare?: Date
    once?: Date
    most?: number
  }): Promise<string[]>
  /** Removes a finished job with its result; does nothing for others. Without it, jobs go by age only. */
  remove?(jobId: string): Promise<void>
}

/** One event of a job. */
export interface StoredEvent {
  readonly seq: number
  readonly event: string
  /** JSON text. */
  readonly data: string
}

/**
 * The append-only log of a job's events. It outlives claims, so it also stores the fence of each job:
 * the number of the latest claim; writers with a lower one cannot write to log or checkpoints.
 */
export interface EventLog {
  /**
   * From now on, writers with a lower fence are rejected, including writes in progress. Returns the `seq`
   * of the last event, -1 if there is none.
   * @throws StaleWriterError if the log was opened with a higher fence
   */
  open(jobId: string, fence: number): Promise<number>
  /**
   * All or nothing.
   * @param fence of the writer's claim; without it the writer is not checked
   * @throws UniqueConflictError `event.seq` if a sequence number is taken
   * @throws StaleWriterError if the log was opened with a higher fence
   */
  append(jobId: string, events: readonly StoredEvent[], fence?: number): Promise<void>
  /** `seq` of the last event, -1 if there is none; reads one row. */
  lastSeq(jobId: string): Promise<number>
  /** Events with `seq` greater than `after`, ascending, at most `limit`. */
  read(jobId: string, after: number, limit: number): Promise<StoredEvent[]>
  /** No more events follow; resolves when buffered events are on disk. */
  close(jobId: string): Promise<void>
  /** Removes events and fences. */
  remove(jobIds: readonly string[]): Promise<void>
}

/** Best-effort notifications between processes; the log is authoritative. */
export interface LiveBus {
  publish(channel: string, payload: string): void
  /** Returns a function that unsubscribes. */
  subscribe(channel: string, listener: (payload: string) => void): () => void
  /** Resolves when everything published so far was sent to the other processes, or could not be. */
  flush?(): Promise<void>
}

/** States of finished vertices of resumable jobs. */
export interface CheckpointStore {
  /**
   * Replaces the state of the same vertex.
   * @param fence of the writer's claim; without it the writer is not checked
   * @throws StaleWriterError if the job's log was opened with a higher fence
   */
  put(jobId: string, vertexId: string, state: string, fence?: number): Promise<void>
  /** In the order of the first `put`. */
  list(jobId: string): Promise<{ vertexId: string; state: string }[]>
  remove(jobId: string): Promise<void>
  /** The same for several jobs; optional. */
  removeAll?(jobIds: readonly string[]): Promise<void>
}

/** Everything needed for durable jobs. */
export interface JobStore {
  readonly queue: JobQueue
  readonly log: EventLog
  readonly bus: LiveBus
  readonly checkpoints: CheckpointStore
  /** Absent if the store does not support schedules. */
  readonly schedules?: ScheduleStore
}
