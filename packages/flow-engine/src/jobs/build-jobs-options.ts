import type { ComponentServices } from '../components/define/services.ts'
import type { ComponentRegistry } from '../components/registry/registry.ts'
import type { ResultCache } from '../graph/context/cache.ts'
import type { CountTokens } from '../graph/context/estimate-input.ts'
import type { Prices } from '../graph/context/prices.ts'
import type { RunHooks } from '../graph/context/run-hooks.ts'
import type { RunBudget } from '../graph/plan/run-budget.ts'
import type { BuildRecord } from '../graph/context/run-host.ts'
import type { FlowRun, RunResult } from '../graph/context/run-options.ts'
import type { RunLimits } from '../graph/plan/limits.ts'
import type { JobStore } from '../store/job-store.ts'
import type { JobRecord } from './build-jobs.ts'
import type { BuildRequest } from './build-request.ts'
import type { JobSecretBox } from './job-seal.ts'
import type { QueueOptions } from './queue-capacity.ts'
import type { Runtime } from '@x/wire'

/** Options for running builds as jobs (section 1.4). */
export interface BuildJobsOptions {
  components?: ComponentRegistry
  services?: ComponentServices
  /**
   * Services of one job, if they depend on its owner; overrides `services`. `stored` is absent when no run begins.
   */
  servicesOf?: (request: BuildRequest, stored?: JobStoring) => ComponentServices
  /** Default: `createResultCache()`. */
  cache?: ResultCache
  runtime?: Runtime
  limits?: Partial<RunLimits>
  /** Default: `createMemoryJobStore()`. */
  store?: JobStore
  /**
   * False: the process queues, reads, cancels and answers, and leaves running and upkeep to others. Needs a
   * shared queue. Default true.
   */
  work?: boolean
  /** What this process says of itself to those who operate the fleet. */
  process?: { name?: string; role?: 'all' | 'web' | 'worker'; version?: string }
  /** Concurrent jobs. Default 8. */
  concurrency?: number
  /** Concurrent jobs per user. Default: half of `concurrency`; null: unlimited. */
  concurrencyPerUser?: number | null
  /** Additional lanes by name, for requests that specify them. */
  lanes?: Readonly<Record<string, QueueOptions>>
  /** Maximum number of waiting jobs. Default 1,000. */
  maxQueued?: number
  /**
   * Retention of finished jobs. Default: 24 h and at most 1,000 jobs; every job is kept for at least 5
   * minutes.
   */
  retention?: { maxAgeMs?: number; maxJobs?: number }
  /** Milliseconds. Default 15,000. */
  leaseMs?: number
  /** Milliseconds. Default: a third of `leaseMs`. */
  heartbeatMs?: number
  /**
   * What each run may use at most, or a function if that depends on its owner; of this and the budget of a request the
   * smaller counts. Default: no limit.
   */
  budget?: RunBudget | ((request: BuildRequest) => RunBudget | undefined)
  /** For requests without prices of their own. Default: none. */
  prices?: Prices
  countTokens?: CountTokens
  /** Observes the runs of this process; hooks of a request are called first. */
  hooks?: RunHooks
  /** Observes the runs of this process, for records and notifications. */
  observer?: JobObserver
  /**
   * Maximum time to wait for an answer, in milliseconds, if the question sets none. Default 30 days; null or
   * Infinity: unlimited.
   */
  maxSuspendedMs?: number | null
  /** Longest sleep of a component that waits in memory, in milliseconds. Default 10,000. */
  sleepInProcessMs?: number
  /** Maximum number of schedules per user, and of all schedules without a user. Default 1,000. */
  maxSchedules?: number
  /** Number of processes a job may crash before it fails. Default 3. */
  maxCrashes?: number
  /**
   * Called before a job continues that was suspended, slept, was recovered or was queued by another process;
   * false ends it as `failed` with code `forbidden`.
   */
  authorize?: (job: JobRecord, request: BuildRequest) => boolean | Promise<boolean>
  /** Encrypts variables, tweaks, questions and answers at rest. */
  secrets?: JobSecretBox
  onError?: (error: unknown, info: { jobId?: string }) => void
}

/** When a job is stored that runs before that (`BuildRequest.late`). */
export interface JobStoring {
  /** Resolves when it is being stored. */
  begun(): Promise<void>
  /** Stores it now. */
  settle(): Promise<void>
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
  /** JSON to store with the end of the job, at most 1 MiB; read by `BuildJobs.answer`. */
  answer?(result: RunResult): unknown
}
