import { createSystemRuntime } from '@x/wire'
import { invalidRequest } from '../errors.ts'
import { createResultCache } from '../graph/context/cache.ts'
import { completeLimits } from '../graph/plan/limits.ts'
import { readBudget } from '../graph/plan/run-budget.ts'
import { createMemoryJobStore } from '../memory/job-store.ts'
import type { BuildJobsOptions } from './build-jobs-options.ts'
import { guardedReport } from './guarded-report.ts'

const MAX_SUSPENDED_MS = 30 * 24 * 3_600_000

export type CompleteJobOptions = ReturnType<typeof completeJobOptions>

/**
 * Fills in the defaults of job options.
 * @throws FlowError `invalid_request`
 */
export function completeJobOptions(options: BuildJobsOptions) {
  const { concurrency = 8, leaseMs = 15_000, heartbeatMs = leaseMs / 3, retention = {} } = options
  if (!(leaseMs >= 100 && heartbeatMs > 0 && heartbeatMs * 2 <= leaseMs)) {
    throw invalidRequest(
      `leaseMs (${leaseMs}) must be at least 100 and twice heartbeatMs (${heartbeatMs})`,
    )
  }
  if (typeof options.budget !== 'function') readBudget('createBuildJobs', options.budget)
  const { work = true } = options
  if (!work && options.store?.queue.shared !== true)
    throw new TypeError('work: false needs a shared queue')
  return {
    ...options,
    store: options.store ?? createMemoryJobStore(),
    runtime: options.runtime ?? createSystemRuntime(),
    cache: options.cache ?? createResultCache(),
    limits: completeLimits(options.limits),
    work,
    leaseMs,
    heartbeatMs,
    concurrency,
    concurrencyPerUser:
      options.concurrencyPerUser === undefined
        ? Math.max(1, Math.floor(concurrency / 2))
        : options.concurrencyPerUser,
    lanes: options.lanes ?? {},
    maxQueued: options.maxQueued ?? 1000,
    retention: {
      maxAgeMs: retention.maxAgeMs ?? 24 * 3_600_000,
      maxJobs: retention.maxJobs ?? 1000,
    },
    sleepInProcessMs: options.sleepInProcessMs ?? 10_000,
    maxSuspendedMs: withoutInfinity(options.maxSuspendedMs),
    maxCrashes: options.maxCrashes ?? 3,
    maxSchedules: options.maxSchedules ?? 1000,
    onError: guardedReport(options.onError),
  }
}

/** Infinity is normalised to null. */
function withoutInfinity(ms: number | null | undefined): number | null {
  if (ms === null || ms === Number.POSITIVE_INFINITY) return null
  if (ms === undefined) return MAX_SUSPENDED_MS
  if (ms > 0) return ms
  throw invalidRequest(`maxSuspendedMs must be a number above 0, null or Infinity, got ${ms}`)
}
