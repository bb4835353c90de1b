import {
  createSystemRuntime,
  createTokenBuckets,
  type BucketLimit,
  type BucketState,
  type Runtime,
} from '@x/wire'

export type { BucketLimit, BucketState }

/** Buckets of requests by key, for one process or many (OP-17). */
export interface RateLimitStore {
  /**
   * Takes one request out of the bucket of `key` if it has one, in one step that no other process can
   * come between. A key that was never seen has a full bucket.
   * @param key at most 256 characters
   */
  take(key: string, limit: BucketLimit): BucketState | Promise<BucketState>
}

/** Options of buckets in memory. */
export interface MemoryRateLimitOptions {
  /** Keys kept; the one that was quiet longest goes first. Default 100,000, about 15 MB. */
  readonly maxKeys?: number
  /** The clock. Default: that of the system. */
  readonly runtime?: Pick<Runtime, 'now'>
}

/** Buckets of this process alone. */
export function createMemoryRateLimitStore({
  maxKeys = 100_000,
  runtime = createSystemRuntime(),
}: MemoryRateLimitOptions = {}): RateLimitStore {
  const buckets = createTokenBuckets(maxKeys)
  return { take: (key, limit) => buckets.take(key, limit, runtime.now().getTime()) }
}
