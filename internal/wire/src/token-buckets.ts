/** How fast a bucket of requests refills, and how many it holds. */
export interface BucketLimit {
  /** Requests that come back each second; more than 0, fractions too. */
  readonly perSecond: number
  /** Requests that a full bucket holds; a positive integer. */
  readonly burst: number
}

/** The outcome of taking one request out of a bucket. */
export interface BucketState {
  readonly allowed: boolean
  /** Milliseconds until the bucket is full again, 0 for a full one. */
  readonly fullInMs: number
}

/** Milliseconds in which one request comes back. */
export const refillMs = ({ perSecond }: BucketLimit): number => 1000 / perSecond

/** Whole requests that are left in a bucket. */
export function leftIn(limit: BucketLimit, { fullInMs }: BucketState): number {
  // A thousandth of a request forgives the rounding of stores that count in whole milliseconds.
  return Math.max(0, Math.floor(limit.burst - fullInMs / refillMs(limit) + 0.001))
}

/** Whole seconds, at least 1, until an empty bucket has a request. */
export function waitSeconds(limit: BucketLimit, { fullInMs }: BucketState): number {
  const over = fullInMs - (limit.burst - 1) * refillMs(limit)
  return Math.max(1, Math.ceil(over / 1000))
}

/** Buckets by key in this process. */
export interface TokenBuckets {
  /** Takes one request out of the bucket of `key` at a time in milliseconds. */
  take(key: string, limit: BucketLimit, now: number): BucketState
}

/**
 * Token buckets, each kept as the one moment at which it will be full. At most `maxKeys`: the one that
 * was quiet longest goes first, and is full again when it comes back.
 */
export function createTokenBuckets(maxKeys: number): TokenBuckets {
  const fullAt = new Map<string, number>()
  return {
    take(key, limit, now) {
      const step = refillMs(limit)
      const whole = limit.burst * step
      // A clock that was set back must not make a bucket emptier than empty.
      const before = Math.min(Math.max(fullAt.get(key) ?? now, now), now + whole)
      const allowed = before + step <= now + whole + step / 1000
      const after = allowed ? before + step : before
      fullAt.delete(key)
      fullAt.set(key, after)
      if (fullAt.size > maxKeys) {
        for (const oldest of fullAt.keys()) {
          fullAt.delete(oldest)
          break
        }
      }
      return { allowed, fullInMs: after - now }
    },
  }
}
