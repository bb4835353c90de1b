import { createTokenBuckets, waitSeconds, type Runtime } from '@x/wire'
import { ScimError } from '../base/errors.ts'
import type { RateLimit } from '../base/profiles.ts'

/** 429 with the time to wait. */
export class RateLimitError extends ScimError {
  /** Whole seconds. */
  readonly retryAfter: number

  constructor(retryAfter: number) {
    super('too_many_requests', `Too many requests; try again in ${retryAfter} s.`)
    this.retryAfter = retryAfter
  }
}

/** Maximum number of tenants with a bucket; least recently used ones are evicted. */
const MAX_TENANTS = 10_000

/**
 * Takes a request from a tenant's bucket.
 * @throws RateLimitError if it is empty
 */
export function createRateLimiter(runtime: Runtime): (tenant: string, limit: RateLimit) => void {
  const buckets = createTokenBuckets(MAX_TENANTS)
  return (tenant, { perSecond, burst = perSecond * 2 }) => {
    const limit = { perSecond, burst }
    const state = buckets.take(tenant, limit, runtime.now().getTime())
    if (!state.allowed) throw new RateLimitError(waitSeconds(limit, state))
  }
}
