/** Refill rate and capacity of a bucket. */
export interface BucketLimit {
  /** Requests added per second; greater than 0, may be fractional. */
  readonly perSecond: number
  /** Requests in a full bucket; a positive integer. */
  readonly burst: number
}

/** The result of taking one request from a bucket. */
export interface BucketState {
  readonly allowed: boolean
  /** Milliseconds until the bucket is full again; 0 if it is full. */
  readonly fullInMs: number
}

/** Milliseconds until one request is added. */
export const refillMs = ({ perSecond }: BucketLimit): number => 1000 / perSecond

/** Whole requests left in a bucket. */
export function leftIn(limit: BucketLimit, { fullInMs }: BucketState): number {
  // A tolerance of a thousandth of a request, for stores that round to whole milliseconds.
  return Math.max(0, Math.floor(limit.burst - fullInMs / refillMs(limit) + 0.001))
}

/** Whole seconds, at least 1, until an empty bucket has a request. */
export function waitSeconds(limit: BucketLimit, { fullInMs }: BucketState): number {
  const over = fullInMs - (limit.burst - 1) * refillMs(limit)
  return Math.max(1, Math.ceil(over / 1000))
}

/** In-process buckets by key. */
export interface TokenBuckets {
  /** Takes one request from the bucket of `key`; `now` in milliseconds. */
  take(key: string, limit: BucketLimit, now: number): BucketState
  /** Puts back a request taken from the bucket of `key`. */
  giveBack(key: string, limit: BucketLimit, now: number): void
  /** Fills the bucket of `key`. */
  fill(key: string): void
}

/**
 * Token buckets, each stored as the time at which it will be full. Holds at most `maxKeys`; the least
 * recently used one is evicted and is full when it comes back.
 */
export function createTokenBuckets(maxKeys: number): TokenBuckets {
  const fullAt = new Map<string, number>()
  const steady = createSteadyClock()
  return {
    take(key, limit, at) {
      const now = steady(at)
      const step = refillMs(limit)
      const whole = limit.burst * step
      // At most empty, also where the limit was higher before.
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
    giveBack(key, limit, at) {
      const now = steady(at)
      const full = fullAt.get(key)
      if (full === undefined) return
      if (full - refillMs(limit) > now) fullAt.set(key, full - refillMs(limit))
      else fullAt.delete(key)
    },
    fill: (key) => void fullAt.delete(key),
  }
}

/** Times of a clock that goes on from where it was when it is set back, so that no level changes. */
function createSteadyClock(): (now: number) => number {
  let last = Number.NEGATIVE_INFINITY
  let offset = 0
  return (now) => {
    if (now + offset < last) offset = last - now
    last = now + offset
    return last
  }
}
