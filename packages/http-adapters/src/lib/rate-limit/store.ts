import {
  createSystemRuntime,
  createTokenBuckets,
  type BucketLimit,
  type BucketState,
  type Runtime,
} from '@x/wire'

export type { BucketLimit, BucketState }

/** Token buckets by key, for one process or many. */
export interface RateLimitStore {
  /**
   * Atomically takes one request from the bucket of `key`, if there is one. An unknown key has a full
   * bucket.
   * @param key at most 256 characters
   */
  take(key: string, limit: BucketLimit): BucketState | Promise<BucketState>
}

/** Options of in-memory buckets. */
export interface MemoryRateLimitOptions {
  /** Maximum number of keys; least recently used ones are evicted. Default 100,000, about 15 MB. */
  readonly maxKeys?: number
  /** The clock. Default: the system's. */
  readonly runtime?: Pick<Runtime, 'now'>
}

/** In-memory buckets for a single process. */
export function createMemoryRateLimitStore({
  maxKeys = 100_000,
  runtime = createSystemRuntime(),
}: MemoryRateLimitOptions = {}): RateLimitStore {
  const buckets = createTokenBuckets(maxKeys)
  return { take: (key, limit) => buckets.take(key, limit, runtime.now().getTime()) }
}
