import type { Runtime } from '@x/wire'
import type { ResultCache } from '../graph/context/cache.ts'
import type { RunLimits } from '../graph/plan/limits.ts'
import type { JobStore } from '../store/job-store.ts'
import type { BuildJobsOptions } from './build-jobs-options.ts'
import type { CheckpointRemoval } from './checkpoint-removal.ts'
import type { JobSeal } from './job-seal.ts'
import type { RequestCodec } from './request-codec.ts'

export interface JobRunnerOptions extends BuildJobsOptions {
  readonly store: JobStore
  readonly runtime: Runtime
  readonly cache: ResultCache
  readonly limits: RunLimits
  readonly codec: RequestCodec
  /** The name this process uses for its claims. */
  readonly name: string
  /** Aborted when pending writes that the store does not accept are given up. */
  readonly closing: AbortSignal
  readonly removal: CheckpointRemoval
  /** Called when a job that crashed before has completed a step. */
  readonly cleared: (jobId: string) => void
  readonly onError: (error: unknown, info: { jobId?: string }) => void
  readonly seal: JobSeal
  readonly maxSuspendedMs: number | null
  readonly sleepInProcessMs: number
  readonly maxCrashes: number
}
