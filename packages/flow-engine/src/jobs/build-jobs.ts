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

/** Options of running builds as jobs (section 1.4). */
export interface BuildJobsOptions {
  components?: ComponentRegistry
  services?: ComponentServices
  /** The services of one job, where they depend on whose it is; wins over `services`. */
  servicesOf?: (request: BuildRequest) => ComponentServices
  /** Default: `createResultCache()`. */
  cache?: ResultCache
  runtime?: Runtime
  limits?: Partial<RunLimits>
  /** Default: `createMemoryJobStore()`. */
  store?: JobStore
  /** Jobs that run at once; 8 by default. */
  concurrency?: number
  /** Jobs of one user that run at once; half of `concurrency` by default, null for no limit (AB-73). */
  concurrencyPerUser?: number | null
  /** Further lanes by name, in which requests run that name them. */
  lanes?: Readonly<Record<string, LaneOptions>>
  /** Jobs that wait; 1,000 by default. */
  maxQueued?: number
  /** Finished jobs stay 24 h, at most 1,000 of them, and always for 5 minutes. */
  retention?: { maxAgeMs?: number; maxJobs?: number }
  /** 30,000 ms by default. */
  leaseMs?: number
  /** 10,000 ms by default. */
  heartbeatMs?: number
  /** Look into the runs of this process (DR-70); those of a request come before. */
  hooks?: RunHooks
  /** Watches the runs of this process, for records and notifications. */
  observer?: JobObserver
  /**
   * Longest time for an answer, in milliseconds, where a question names none; 30 days by default, null or
   * Infinity for no limit (DR-38).
   */
  maxSuspendedMs?: number | null
  /** Longest sleep of a component that is waited for in memory, in milliseconds; 10,000 by default. */
  sleepInProcessMs?: number
  /** Schedules of one user, and of all without one together; 1,000 by default. */
  maxSchedules?: number
  /** Number of processes a job may crash before it fails. Default 3 (DR-11). */
  maxCrashes?: number
  /**
   * Asked before a job that was suspended, slept, was recovered or was queued by another process goes
   * on; false ends it as `failed`, `forbidden` (DR-37).
   */
  authorize?: (job: JobRecord, request: BuildRequest) => boolean | Promise<boolean>
  /** Seals variables, tweaks, questions and answers at rest (DR-22). */
  secrets?: JobSecretBox
  onError?: (error: unknown, info: { jobId?: string }) => void
}

/** Observes the jobs that run in this process; errors it throws go to `onError`. */
export interface JobObserver {
  started?(job: JobRecord): void
  /** Takes part in the run of a job; the job's end waits for it. */
  recorder?(job: JobRecord, request: BuildRequest): JobRecorder | undefined
  finished?(job: JobRecord): void
}

/** Writes down what the vertices of one run did. */
export interface JobRecorder {
  inputs(vertex: { readonly id: string }, values: Readonly<Record<string, unknown>>): void
  built(build: BuildRecord): void
  watch(run: FlowRun): Promise<void>
}

/** A request for a build; mode `build` by default. */
export interface BuildRequest extends Omit<RunOptions, 'signal'> {
  /** A plan saves the compilation; another process that claims the job compiles its flow. */
  flow: FlowJson | FlowPlan
  /** The job fails with this text before anything runs. */
  refused?: string
  /** May go on after its process died, and may be suspended (FE-63, FE-63a). */
  resumable?: boolean
  /**
   * Checkpoints of a resumable job that succeeded stay until the job is trimmed, for `history` and `forkRun`;
   * false. Those of jobs that failed or were cancelled stay anyway (DR-68).
   */
  history?: boolean
  /** Number of the version of the flow, kept with the job (DR-63). */
  flowVersion?: number
  /** The lane it runs in, one of `lanes`; default: that of ordinary jobs. */
  lane?: string
  /** Longest time of the run, in milliseconds. */
  timeoutMs?: number
  /** Longest time for an answer where a question names none; default: that of all jobs (DR-38). */
  maxSuspendedMs?: number
  /** Kept with the job for the observer; JSON. */
  metadata?: Readonly<Record<string, unknown>>
}

/** What `start` takes: also a draft. */
export interface StartRequest extends Omit<BuildRequest, 'flow'> {
  /**
   * A draft is kept as it is now and brings its components (DR-78); another process that claims the job needs
   * them in its own `components`.
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
  /** Number of the last event; -1 before the first. */
  lastSeq: number
  error?: { code: FlowErrorCode; detail: string }
  /** The question of a suspended job; missing while it sleeps. */
  question?: PendingQuestion
  /** When a suspended job goes on by itself. */
  wakeAt?: Date
  /** Processes that ended while they ran it (DR-11). */
  crashes: number
  /** Number of the version of the flow that it runs; missing where it runs the flow itself (DR-63). */
  flowVersion?: number
  /** The job whose results it went on from (DR-68). */
  forkedFrom?: { readonly jobId: string; readonly vertexId: string | null }
}

/** When jobs of a request start (DR-58). */
export interface ScheduleEntry {
  /** Five fields (minute, hour, day, month, weekday) or six, with the second first. */
  cron: string
  /** IANA name; `UTC` by default. Summer time counts. */
  timeZone?: string
  /** Kept with the schedule; options that exist only in a process cannot be. */
  request: BuildRequest
  /** What was due while no process ran is left out, or run once. Default `skip`. */
  missed?: 'skip' | 'once'
  /** No job after it. */
  until?: Date
}

/** A schedule as it is kept. */
export interface ScheduleRecord {
  id: string
  cron: string
  timeZone: string
  userId?: string
  flowId?: string
  /** Null when no time comes any more. */
  nextAt: Date | null
  /** The time of the last job that was started, and its id. */
  lastAt: Date | null
  lastJobId: string | null
}

/** What a job has kept of a vertex (DR-68). */
export interface VertexHistory {
  readonly vertexId: string
  /** Names of the outputs that were computed. */
  readonly outputs: readonly string[]
  readonly state: 'built' | 'failed' | 'asked'
}

/** From where, and with what, a job is run again (DR-68). */
export interface ForkOptions {
  /** Runs again, with everything behind it; default: what failed or was never built. */
  readonly from?: string
  /** Take the place of outputs that were kept, by vertex and output. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Added to those of the job. */
  readonly tweaks?: Tweaks
  readonly userId?: string
}

/** A question that a job waits for (DR-30). */
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
  /** The `action_id`s an answer may have; empty = any answer. */
  allowedDecisions: string[]
  actionRequests?: ActionRequest[]
  schema: JsonSchema | null
  question: unknown
  askedAt: Date
  expiresAt: Date | null
}

/** Builds as jobs: each is an append-only log of events with any number of readers (FE-60). */
export interface BuildJobs {
  /**
   * Resolves when the job is recorded, before it runs.
   * @throws FlowError `limit_exceeded` (429) when too many jobs wait
   */
  start(request: StartRequest): Promise<JobRecord>
  /** Events with `seq` above `after` (-1), live, to the `end`. Leaving does not cancel the job. */
  events(
    jobId: string,
    options?: { after?: number; signal?: AbortSignal; userId?: string },
  ): AsyncIterable<RunEvent>
  /**
   * As `events`, with the data as JSON text (nothing is parsed only to be encoded again), and each
   * time with all that is there.
   */
  encodedEvents(
    jobId: string,
    options?: { after?: number; signal?: AbortSignal; userId?: string },
  ): AsyncIterable<readonly StoredEvent[]>
  /** FE-69. `waitMs` 30,000 by default. */
  poll(jobId: string, options?: PollOptions): Promise<Poll<RunEvent>>
  encodedPoll(jobId: string, options?: PollOptions): Promise<Poll<StoredEvent>>
  cancel(jobId: string, options?: { userId?: string }): Promise<{ success: boolean }>
  /** Open questions, oldest first; sleeping jobs have none. `limit` 100, at most 1,000 (DR-33). */
  pending(query?: {
    userId?: string
    flowId?: string
    /** Id of a job: only what was asked after it. */
    after?: string
    limit?: number
  }): Promise<PendingQuestion[]>
  /**
   * Answers a question, from any process (DR-34).
   * @param options `requestId`: only that question
   * @throws FlowError `conflict` when the job is not suspended, sleeps, was answered or asks something else;
   * `invalid_answer` (InvalidAnswerError) when the question does not allow the answer; `too_large`
   */
  resume(
    jobId: string,
    answer: unknown,
    options?: { userId?: string; requestId?: string },
  ): Promise<JobRecord>
  get(jobId: string, options?: { userId?: string }): Promise<JobRecord | null>
  /** What the job has kept of its vertices: of resumable jobs, see `BuildRequest.history`. */
  history(jobId: string, options?: { userId?: string }): Promise<VertexHistory[]>
  /**
   * Starts a new job of the same request that keeps the results of an ended one. Loops and cycles are
   * repeated as a whole, with everything behind them. The first job is not changed (DR-68).
   * @throws FlowError `conflict` while the job has not ended; `not_resumable` when it has kept nothing;
   * `invalid_request` for an unknown vertex or output, and for values of a vertex that runs again
   */
  forkRun(jobId: string, options?: ForkOptions): Promise<JobRecord>
  /**
   * Adds a schedule or replaces the one of that id. Each due time starts one job, whichever processes
   * share the store, within 5 s or a lease; the owner is checked as in `authorize`. A schedule that is
   * given again unchanged keeps its next time (DR-58).
   * @throws FlowError `invalid_request` for a wrong cron text, time zone or request; `conflict` when the id
   * is another user's; `limit_exceeded` (429) over `maxSchedules`; `not_resumable` where the store keeps none
   */
  schedule(id: string, entry: ScheduleEntry): Promise<ScheduleRecord>
  /** In the order of their ids. */
  schedules(query?: { userId?: string }): Promise<ScheduleRecord[]>
  /** False when there is none, or it is another user's. Jobs that were started go on. */
  unschedule(id: string, options?: { userId?: string }): Promise<boolean>
  /** Requests of jobs that were queued in this process and wait or run, by the id of the job. */
  own(): ReadonlyMap<string, BuildRequest>
  /** @throws FlowError `not_found` when the job is unknown, or another user's */
  check(jobId: string, options?: { userId?: string }): Promise<void>
  /**
   * Waits until the job has ended, wherever it runs and however often it is suspended. In the process that
   * ended it: the result. Elsewhere: rebuilt from the log, `outputs` {} (DR-3).
   */
  result(jobId: string, options?: { signal?: AbortSignal }): Promise<RunResult>
  /**
   * The text of the result in pieces, as `FlowRun.textStream` gives it, in any process. Where several
   * messages stream, the pieces are those of the first (DR-75).
   */
  textStream(
    jobId: string,
    options?: { userId?: string; signal?: AbortSignal },
  ): AsyncIterable<string>
  /** Repairs the jobs of processes that died; the first `start` calls it too. */
  recover(): Promise<{ requeued: string[]; interrupted: string[] }>
  /**
   * Takes no new jobs, lets running ones end (10,000 ms). Then resumable jobs stop and go on in the next
   * process, others are cancelled; readers and results end (DR-12).
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
  /** Number of the last event given. */
  cursor: number
  done: boolean
}
