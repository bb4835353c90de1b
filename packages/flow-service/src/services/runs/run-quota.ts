import {
  createTokenBuckets,
  waitSeconds,
  type BucketLimit,
  type BucketState,
  type Runtime,
} from '@x/wire'
import { refuse } from '../../refusal.ts'
import type { FlowSettings } from '../../settings.ts'
import { StoreUnavailableError } from '@x/flow-engine/store'

/** Token buckets by key, which processes may share; implemented by `@x/store-kysely/rate-limit`. */
export interface QuotaStore {
  /** Atomically takes a token from the bucket of `key`, if there is one. */
  take(key: string, limit: BucketLimit): BucketState | Promise<BucketState>
  /**
   * Atomically puts back a token taken from the bucket of `key`, for a run that was not started after all.
   * Without it such a run stays counted.
   */
  giveBack?(key: string, limit: BucketLimit): void | Promise<void>
}

/** Daily run quota of users. */
export interface RunQuota {
  /**
   * Counts a run of a user.
   * @returns what to call if it is not started after all
   * @throws Refusal 429 with `retry-after`, naming the quota; StoreUnavailableError if the store fails
   */
  take(userId: string): Promise<() => Promise<void>>
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
  if (most === 0) return { take: () => Promise.resolve(async () => undefined) }
  const limit = { perSecond: most / DAY_SECONDS, burst: most }
  return {
    async take(userId) {
      const key = `runs:${userId}`
      const state = await reached(() => store.take(key, limit))
      if (state.allowed) return async () => await reached(() => store.giveBack?.(key, limit))
      const seconds = waitSeconds(limit, state)
      const quota = `${most.toLocaleString('en')} runs`
      throw refuse(
        429,
        `Daily limit of ${quota} reached (SERVICE_MAX_RUNS_PER_DAY_PER_USER). Try again in ${seconds} s.`,
        {
          headers: { 'retry-after': String(seconds) },
        },
      )
    },
  }
}

function inMemory(runtime: Pick<Runtime, 'now'>): QuotaStore {
  const buckets = createTokenBuckets(COUNTED_USERS)
  const now = (): number => runtime.now().getTime()
  return {
    take: (key, limit) => buckets.take(key, limit, now()),
    giveBack: (key, limit) => buckets.giveBack(key, limit, now()),
  }
}

async function reached<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new StoreUnavailableError({ cause, message: 'The store of quotas does not answer' })
  }
}
