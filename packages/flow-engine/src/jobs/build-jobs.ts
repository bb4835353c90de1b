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
import type { FlowRun, RunOptions, RunResult } from '../graph/context/run-options.ts'
import type { FlowJson } from '../graph/flow/node-json.ts'
import type { LaneOptions } from './lane-places.ts'
import type { JobState, JobStore, StoredEvent } from '../store/job-store.ts'
import type { Runtime } from '@x/wire'

/** How builds are run as jobs (section 1.4). */
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
  /** Watches the runs of this process, for records and notifications. */
  observer?: JobObserver
  /**
   * Longest time for an answer, in milliseconds, where a question names none; 30 days by default, null or
   * Infinity for no limit (DR-38).
   */
  maxSuspendedMs?: number | null
  /** Longest sleep of a component that is waited for in memory, in milliseconds; 10,000 by default. */
  sleepInProcessMs?: number
  /** How many processes a job may take down before it fails; 3 by default (DR-11). */
  maxCrashes?: number
  /**
   * Asked before a job that was suspended, slept or was recovered goes on; false ends it as `failed`,
   * `forbidden` (DR-37).
   */
  authorize?: (job: JobRecord) => boolean | Promise<boolean>
  /** Seals variables, tweaks, questions and answers at rest (DR-22). */
  secrets?: JobSecretBox
  onError?: (error: unknown, info: { jobId?: string }) => void
}

/** Told of what happens to the jobs that run in this process; what it throws goes to `onError`. */
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

/** What is to be built; mode `build` unless it says otherwise. */
export interface BuildRequest extends Omit<RunOptions, 'signal'> {
  /** A plan saves the compilation; another process that claims the job compiles its flow. */
  flow: FlowJson | FlowPlan
  /** The job fails with this text before anything runs. */
  refused?: string
  /** May go on after its process died, and may be suspended (FE-63, FE-63a). */
  resumable?: boolean
  /** The lane it runs in, one of `lanes`; default: that of ordinary jobs. */
  lane?: string
  /** Longest time of the run, in milliseconds. */
  timeoutMs?: number
  /** Kept with the job for the observer; JSON. */
  metadata?: Readonly<Record<string, unknown>>
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
  /** What a suspended job asks; a job that sleeps has none. */
  question?: PendingQuestion
  /** When a suspended job goes on by itself. */
  wakeAt?: Date
  /** Processes that ended while they ran it (DR-11). */
  crashes: number
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
  start(request: BuildRequest): Promise<JobRecord>
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
  /** @throws FlowError `not_found` when the job is unknown, or another user's */
  check(jobId: string, options?: { userId?: string }): Promise<void>
  /**
   * Waits until the job has ended, wherever it runs and however often it is suspended. In the process that
   * ended it: the result. Elsewhere: rebuilt from the log, `outputs` {} (DR-3).
   */
  result(jobId: string, options?: { signal?: AbortSignal }): Promise<RunResult>
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
  /** Whose position is kept where no `after` is given; default: the user. */
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
