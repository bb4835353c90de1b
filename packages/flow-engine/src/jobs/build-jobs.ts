import type { TypedPart } from '../graph/run/typed-run.ts'
import type {
  ActionRequest,
  JsonSchema,
  QuestionOption,
} from '../components/define/suspend-options.ts'
import type { FlowErrorCode } from '../errors.ts'
import type { RunResult, Tweaks } from '../graph/context/run-options.ts'
import type { RunEvent } from '../graph/events/run-event.ts'
import type { JobState, StoredEvent } from '../store/job-store.ts'
import type { BuildRequest, StartRequest } from './build-request.ts'

export interface JobRecord {
  id: string
  state: JobState
  flowId: string
  userId?: string
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  /** `seq` of the last event; -1 before the first. */
  lastSeq: number
  error?: { code: FlowErrorCode; detail: string }
  /** The question of a suspended job; absent while it sleeps. */
  question?: PendingQuestion
  /** When a suspended job resumes by itself. */
  wakeAt?: Date
  /** Number of processes that died while running it. */
  crashes: number
  /** Version number of the flow it runs; absent if it runs the flow itself. */
  flowVersion?: number
  /** The job whose results it reuses. */
  forkedFrom?: { readonly jobId: string; readonly vertexId: string | null }
}

/** When a schedule starts jobs. */
export interface ScheduleEntry {
  /** Five fields (minute, hour, day, month, weekday), or six with seconds first. */
  cron: string
  /** IANA name; daylight saving time applies. Default `UTC`. */
  timeZone?: string
  /** Stored with the schedule, so it must not contain in-process objects. */
  request: BuildRequest
  /** Handling of times missed while no process was running: skip them, or run once. Default `skip`. */
  missed?: 'skip' | 'once'
  /** No job is started after this time. */
  until?: Date
}

/** A stored schedule. */
export interface ScheduleRecord {
  id: string
  cron: string
  timeZone: string
  userId?: string
  flowId?: string
  /** Null if there is no further time. */
  nextAt: Date | null
  /** Time and id of the last job that was started. */
  lastAt: Date | null
  lastJobId: string | null
}

/** The stored results of a vertex of a job. */
export interface VertexHistory {
  readonly vertexId: string
  /** Names of the computed outputs. */
  readonly outputs: readonly string[]
  readonly state: 'built' | 'failed' | 'asked'
}

/** Where to restart a job, and with which changes. */
export interface ForkOptions {
  /** Vertex to run again, with everything downstream. Default: all that failed or were never built. */
  readonly from?: string
  /** Replacements for stored outputs, by vertex and output. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Added to the job's tweaks. */
  readonly tweaks?: Tweaks
  readonly userId?: string
}

/** A question a job is waiting for. */
export interface PendingQuestion {
  jobId: string
  /** Unique for each question; opaque. */
  requestId: string
  vertexId: string
  flowId: string
  userId?: string
  /** "" = none. */
  sessionId: string
  kind: string
  prompt: string | null
  options: QuestionOption[]
  /** The `action_id`s accepted in an answer; empty: any. */
  allowedDecisions: string[]
  actionRequests?: ActionRequest[]
  schema: JsonSchema | null
  question: unknown
  askedAt: Date
  expiresAt: Date | null
}

/** Builds as jobs: each is an append-only event log with any number of readers. */
export interface BuildJobs {
  /**
   * Resolves when the job is recorded, before it runs.
   * Waits up to 5 s for a store that is away.
   * @throws FlowError `limit_exceeded` (429) if too many jobs are waiting; `conflict` if `id` is taken;
   * `store_unavailable`
   */
  start<F extends StartRequest['flow']>(
    request: StartRequest & { readonly flow: F } & TypedPart<F>,
  ): Promise<JobRecord>
  /**
   * Queues up to 1,000 jobs at once: all of them or none.
   * @throws FlowError like `start`; `invalid_request` for more, and for a queue that cannot do it
   */
  startAll(requests: readonly Omit<StartRequest, 'id'>[]): Promise<JobRecord[]>
  /**
   * Live events with `seq` above `after` (default -1), until `end`. Stopping to read does not cancel the job.
   */
  events(
    jobId: string,
    options?: { after?: number; signal?: AbortSignal; userId?: string },
  ): AsyncIterable<RunEvent>
  /**
   * Like `events`, but yields batches of available events with `data` as JSON text, which avoids parsing and
   * re-encoding.
   */
  encodedEvents(
    jobId: string,
    options?: { after?: number; signal?: AbortSignal; userId?: string },
  ): AsyncIterable<readonly StoredEvent[]>
  /** Default `waitMs`: 30,000. */
  poll(jobId: string, options?: PollOptions): Promise<Poll<RunEvent>>
  encodedPoll(jobId: string, options?: PollOptions): Promise<Poll<StoredEvent>>
  cancel(jobId: string, options?: { userId?: string }): Promise<{ success: boolean }>
  /** Open questions, oldest first; sleeping jobs have none. `limit`: default 100, at most 1,000. */
  pending(query?: {
    userId?: string
    flowId?: string
    /** Job id: only questions asked after that job's. */
    after?: string
    limit?: number
  }): Promise<PendingQuestion[]>
  /**
   * Answers a question, from any process.
   * @param options `requestId`: fail unless this question is open
   * @throws FlowError `conflict` if the job is not suspended, sleeps, was answered or asks another question;
   * `invalid_answer` (InvalidAnswerError) if the answer does not match the question; `too_large`
   */
  resume(
    jobId: string,
    answer: unknown,
    options?: { userId?: string; requestId?: string },
  ): Promise<JobRecord>
  get(jobId: string, options?: { userId?: string }): Promise<JobRecord | null>
  /** The stored results of a resumable job's vertices, see `BuildRequest.history`. */
  history(jobId: string, options?: { userId?: string }): Promise<VertexHistory[]>
  /**
   * Starts a new job from the same request that reuses results of a finished job. Loops and cycles are
   * repeated as a whole, with everything downstream. The original job is not changed.
   * @throws FlowError `conflict` if the job has not ended; `not_resumable` if it stored no results;
   * `invalid_request` for an unknown vertex or output, or values for a vertex that runs again
   */
  forkRun(jobId: string, options?: ForkOptions): Promise<JobRecord>
  /**
   * Creates a schedule or replaces the one with that id. Each due time starts exactly one job across all
   * processes that share the store, within 5 s or one lease; `authorize` is called for its owner. An
   * unchanged schedule keeps its next time.
   * @throws FlowError `invalid_request` for an invalid cron expression, time zone or request; `conflict` if
   * the id belongs to another user; `limit_exceeded` (429) over `maxSchedules`; `not_resumable` if the store
   * does not support schedules
   */
  schedule(id: string, entry: ScheduleEntry): Promise<ScheduleRecord>
  /** Ordered by id. */
  schedules(query?: { userId?: string }): Promise<ScheduleRecord[]>
  /** False if it does not exist or belongs to another user. Jobs that were already started continue. */
  unschedule(id: string, options?: { userId?: string }): Promise<boolean>
  /** Requests of unfinished jobs that were queued in this process or run in it, by job id. */
  own(): ReadonlyMap<string, BuildRequest>
  /** @throws FlowError `not_found` if the job is unknown or belongs to another user */
  check(jobId: string, options?: { userId?: string }): Promise<void>
  /**
   * Waits until the job has ended, in whichever process and however often it is suspended. The process that
   * ended it returns the full result; others give the same status, outputs, text, messages and usage, if the
   * queue is shared or the job resumable: outputs over 1 MiB throw `too_large` when they are read.
   */
  result(jobId: string, options?: { signal?: AbortSignal }): Promise<RunResult>
  /**
   * Waits like `result`, for what the recorder of the job kept with its end (`JobRecorder.answer`), the same in
   * each process. Undefined if it kept nothing or more than 1 MiB, and for queues that store no results.
   */
  answer(jobId: string, options?: { signal?: AbortSignal }): Promise<unknown>
  /**
   * Chunks of the result text, like `FlowRun.textStream`, in any process. If several messages stream, the
   * chunks are those of the first.
   */
  textStream(
    jobId: string,
    options?: { userId?: string; signal?: AbortSignal },
  ): AsyncIterable<string>
  /** Repairs the jobs of dead processes; also called by the first `start`. */
  recover(): Promise<{ requeued: string[]; interrupted: string[] }>
  /**
   * Claims nothing more from a queue that other processes serve too; everything else goes on until `close`
   *.
   */
  pause(): void
  /**
   * Accepts no new jobs and waits `timeoutMs` (default 10,000 ms) for running ones. After that resumable jobs
   * stop and continue in the next process, others are cancelled, and readers and results end.
   */
  close(options?: { timeoutMs?: number }): Promise<void>
}

export interface PollOptions {
  after?: number
  /** The reader whose position is used if `after` is missing. Default: the user. */
  reader?: string
  waitMs?: number
  userId?: string
  signal?: AbortSignal
}

export interface Poll<E> {
  events: E[]
  /** `seq` of the last event returned. */
  cursor: number
  done: boolean
}
