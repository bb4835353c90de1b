import {
  createTokenBuckets,
  waitSeconds,
  type BucketLimit,
  type BucketState,
  type Runtime,
} from '@x/wire'
import type { BuildJobs } from '@x/flow-engine'
import { refuse } from '@x/flow-engine/internal'
import type { FlowSettings } from '../../settings.ts'
import { StoreUnavailableError } from '@x/flow-engine/store'

/** Token buckets by key, which processes may share; implemented by `@x/store-kysely/rate-limit`. */
export interface QuotaStore {
  /** Atomically takes a token from the bucket of `key`, if there is one. */
  take(key: string, limit: BucketLimit): BucketState | Promise<BucketState>
}

/** Daily run quota of users (OP-18). */
export interface RunQuota {
  /**
   * Counts a run of a user.
   * @throws Refusal 429 with `retry-after`, naming the quota; StoreUnavailableError if the store fails
   */
  take(userId: string): Promise<void>
}

/** Maximum number of users counted in memory. */
const COUNTED_USERS = 100_000
const DAY_SECONDS = 86_400

/** One bucket per user with a day's runs, refilled evenly over the day. */
export function createRunQuota({
  settings,
  runtime,
  store = inMemory(runtime),
}: {
  readonly settings: Pick<FlowSettings, 'maxRunsPerDayPerUser'>
  readonly runtime: Pick<Runtime, 'now'>
  readonly store?: QuotaStore | undefined
}): RunQuota {
  const { maxRunsPerDayPerUser: most } = settings
  if (most === 0) return { take: async () => undefined }
  const limit = { perSecond: most / DAY_SECONDS, burst: most }
  return {
    async take(userId) {
      const state = await reached(() => store.take(`runs:${userId}`, limit))
      if (state.allowed) return
      const seconds = waitSeconds(limit, state)
      const quota = `${most.toLocaleString('en')} runs a day (SERVICE_MAX_RUNS_PER_DAY_PER_USER)`
      throw refuse(429, `A user may start ${quota}. The next one may start in ${seconds} s.`, {
        headers: { 'retry-after': String(seconds) },
      })
    },
  }
}

/**
 * Counts jobs as runs of their users when they start. Visitors' jobs have their own lanes and are not counted
 * (AB-70).
 */
export function countingJobs(jobs: BuildJobs, quota: RunQuota): BuildJobs {
  return {
    ...jobs,
    async start(request) {
      if (request.lane !== 'public' && request.userId !== undefined)
        await quota.take(request.userId)
      return await jobs.start(request)
    },
  }
}

function inMemory(runtime: Pick<Runtime, 'now'>): QuotaStore {
  const buckets = createTokenBuckets(COUNTED_USERS)
  return { take: (key, limit) => buckets.take(key, limit, runtime.now().getTime()) }
}

async function reached<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new StoreUnavailableError({ cause, message: 'The store of quotas does not answer' })
  }
}
