import type { ComponentRegistry } from '../components/registry/registry.ts'
import type { ComponentServices } from '../components/define/services.ts'
import type {
  ActionRequest,
  JsonSchema,
  QuestionOption,
} from '../components/define/suspend-options.ts'
import type { JobSecretBox } from './job-seal.ts'
import type { FlowErrorCode } from '../errors.ts'
import type { ResultCache } from '../graph/context/cache.ts'
import type { FlowPlan } from '../graph/plan/compile.ts'
import type { RunLimits } from '../graph/plan/limits.ts'
import type { RunEvent } from '../graph/events/run-event.ts'
import type { BuildRecord } from '../graph/context/run-host.ts'
import type { RunHooks } from '../graph/context/run-hooks.ts'
import type { FlowRun, RunOptions, RunResult, Tweaks } from '../graph/context/run-options.ts'
import type { FlowDraft } from '../graph/draft/flow-draft.ts'
import type { FlowJson } from '../graph/flow/node-json.ts'
import type { LaneOptions } from './lane-places.ts'
import type { JobState, JobStore, StoredEvent } from '../store/job-store.ts'
import type { Runtime } from '@x/wire'

/** Options for running builds as jobs (section 1.4). */
export interface BuildJobsOptions {
  components?: ComponentRegistry
  services?: ComponentServices
  /** Services of one job, if they depend on its owner; overrides `services`. */
  servicesOf?: (request: BuildRequest) => ComponentServices
  /** Default: `createResultCache()`. */
  cache?: ResultCache
  runtime?: Runtime
  limits?: Partial<RunLimits>
  /** Default: `createMemoryJobStore()`. */
  store?: JobStore
  /** Concurrent jobs. Default 8. */
  concurrency?: number
  /** Concurrent jobs per user. Default: half of `concurrency`; null: unlimited (AB-73). */
  concurrencyPerUser?: number | null
  /** Additional lanes by name, for requests that specify them. */
  lanes?: Readonly<Record<string, LaneOptions>>
  /** Maximum number of waiting jobs. Default 1,000. */
  maxQueued?: number
  /**
   * Retention of finished jobs. Default: 24 h and at most 1,000 jobs; every job is kept for at least 5
   * minutes.
   */
  retention?: { maxAgeMs?: number; maxJobs?: number }
  /** Milliseconds. Default 30,000. */
  leaseMs?: number
  /** Milliseconds. Default 10,000. */
  heartbeatMs?: number
  /** Observes the runs of this process (DR-70); hooks of a request are called first. */
  hooks?: RunHooks
  /** Observes the runs of this process, for records and notifications. */
  observer?: JobObserver
  /**
   * Maximum time to wait for an answer, in milliseconds, if the question sets none. Default 30 days; null or
   * Infinity: unlimited (DR-38).
   */
  maxSuspendedMs?: number | null
  /** Longest sleep of a component that waits in memory, in milliseconds. Default 10,000. */
  sleepInProcessMs?: number
  /** Maximum number of schedules per user, and of all schedules without a user. Default 1,000. */
  maxSchedules?: number
  /** Number of processes a job may crash before it fails. Default 3 (DR-11). */
  maxCrashes?: number
  /**
   * Called before a job continues that was suspended, slept, was recovered or was queued by another process;
   * false ends it as `failed` with code `forbidden` (DR-37).
   */
  authorize?: (job: JobRecord, request: BuildRequest) => boolean | Promise<boolean>
  /** Encrypts variables, tweaks, questions and answers at rest (DR-22). */
  secrets?: JobSecretBox
  onError?: (error: unknown, info: { jobId?: string }) => void
}

/** Observes the jobs that run in this process; errors it throws are passed to `onError`. */
export interface JobObserver {
  started?(job: JobRecord): void
  /** Called for each run of a job; the job's end waits for the recorder. */
  recorder?(job: JobRecord, request: BuildRequest): JobRecorder | undefined
  finished?(job: JobRecord): void
}

/** Records what the vertices of a run did. */
export interface JobRecorder {
  inputs(vertex: { readonly id: string }, values: Readonly<Record<string, unknown>>): void
  built(build: BuildRecord): void
  watch(run: FlowRun): Promise<void>
}

/** A build request. Default mode: `build`. */
export interface BuildRequest extends Omit<RunOptions, 'signal'> {
  /** A plan saves compilation; another process that claims the job compiles its flow. */
  flow: FlowJson | FlowPlan
  /** If set, the job fails with this message before anything runs. */
  refused?: string
  /** The job can continue after its process died, and can be suspended (FE-63, FE-63a). */
  resumable?: boolean
  /**
   * Keeps the checkpoints of a successful resumable job until it is trimmed, for `history` and `forkRun`.
   * Default false. Checkpoints of failed and cancelled jobs are always kept (DR-68).
   */
  history?: boolean
  /** Version number of the flow, stored with the job (DR-63). */
  flowVersion?: number
  /** One of `lanes`. Default: the ordinary lane. */
  lane?: string
  /** Maximum duration of the run, in milliseconds. */
  timeoutMs?: number
  /**
   * Maximum time to wait for an answer if the question sets none. Default: the option of all jobs (DR-38).
   */
  maxSuspendedMs?: number
  /** JSON stored with the job for the observer. */
  metadata?: Readonly<Record<string, unknown>>
}

/** The argument of `start`, which also accepts drafts. */
export interface StartRequest extends Omit<BuildRequest, 'flow'> {
  /**
   * A draft is captured in its current state, with its components (DR-78). Another process that claims the
   * job needs them in its own `components`.
   */
  flow: FlowJson | FlowPlan | FlowDraft
}

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
  /** Number of processes that died while running it (DR-11). */
  crashes: number
  /** Version number of the flow it runs; absent if it runs the flow itself (DR-63). */
  flowVersion?: number
  /** The job whose results it reuses (DR-68). */
  forkedFrom?: { readonly jobId: string; readonly vertexId: string | null }
}

/** When a schedule starts jobs (DR-58). */
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

/** The stored results of a vertex of a job (DR-68). */
export interface VertexHistory {
  readonly vertexId: string
  /** Names of the computed outputs. */
  readonly outputs: readonly string[]
  readonly state: 'built' | 'failed' | 'asked'
}

/** Where to restart a job, and with which changes (DR-68). */
export interface ForkOptions {
  /** Vertex to run again, with everything downstream. Default: all that failed or were never built. */
  readonly from?: string
  /** Replacements for stored outputs, by vertex and output. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Added to the job's tweaks. */
  readonly tweaks?: Tweaks
  readonly userId?: string
}

/** A question a job is waiting for (DR-30). */
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

/** Builds as jobs: each is an append-only event log with any number of readers (FE-60). */
export interface BuildJobs {
  /**
   * Resolves when the job is recorded, before it runs.
   * @throws FlowError `limit_exceeded` (429) if too many jobs are waiting
   */
  start(request: StartRequest): Promise<JobRecord>
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
  /** FE-69. Default `waitMs`: 30,000. */
  poll(jobId: string, options?: PollOptions): Promise<Poll<RunEvent>>
  encodedPoll(jobId: string, options?: PollOptions): Promise<Poll<StoredEvent>>
  cancel(jobId: string, options?: { userId?: string }): Promise<{ success: boolean }>
  /** Open questions, oldest first; sleeping jobs have none. `limit`: default 100, at most 1,000 (DR-33). */
  pending(query?: {
    userId?: string
    flowId?: string
    /** Job id: only questions asked after that job's. */
    after?: string
    limit?: number
  }): Promise<PendingQuestion[]>
  /**
   * Answers a question, from any process (DR-34).
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
   * repeated as a whole, with everything downstream. The original job is not changed (DR-68).
   * @throws FlowError `conflict` if the job has not ended; `not_resumable` if it stored no results;
   * `invalid_request` for an unknown vertex or output, or values for a vertex that runs again
   */
  forkRun(jobId: string, options?: ForkOptions): Promise<JobRecord>
  /**
   * Creates a schedule or replaces the one with that id. Each due time starts exactly one job across all
   * processes that share the store, within 5 s or one lease; `authorize` is called for its owner. An
   * unchanged schedule keeps its next time (DR-58).
   * @throws FlowError `invalid_request` for an invalid cron expression, time zone or request; `conflict` if
   * the id belongs to another user; `limit_exceeded` (429) over `maxSchedules`; `not_resumable` if the store
   * does not support schedules
   */
  schedule(id: string, entry: ScheduleEntry): Promise<ScheduleRecord>
  /** Ordered by id. */
  schedules(query?: { userId?: string }): Promise<ScheduleRecord[]>
  /** False if it does not exist or belongs to another user. Jobs that were already started continue. */
  unschedule(id: string, options?: { userId?: string }): Promise<boolean>
  /** Requests of jobs queued in this process that are waiting or running, by job id. */
  own(): ReadonlyMap<string, BuildRequest>
  /** @throws FlowError `not_found` if the job is unknown or belongs to another user */
  check(jobId: string, options?: { userId?: string }): Promise<void>
  /**
   * Waits until the job has ended, in whichever process and however often it is suspended. The process that
   * ended it returns the full result; others rebuild it from the log, with empty `outputs` (DR-3).
   */
  result(jobId: string, options?: { signal?: AbortSignal }): Promise<RunResult>
  /**
   * Chunks of the result text, like `FlowRun.textStream`, in any process. If several messages stream, the
   * chunks are those of the first (DR-75).
   */
  textStream(
    jobId: string,
    options?: { userId?: string; signal?: AbortSignal },
  ): AsyncIterable<string>
  /** Repairs the jobs of dead processes; also called by the first `start`. */
  recover(): Promise<{ requeued: string[]; interrupted: string[] }>
  /**
   * Accepts no new jobs and waits `timeoutMs` (default 10,000 ms) for running ones. After that resumable jobs
   * stop and continue in the next process, others are cancelled, and readers and results end (DR-12).
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
