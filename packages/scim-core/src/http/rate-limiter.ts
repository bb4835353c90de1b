import { createTokenBuckets, waitSeconds, type Runtime } from '@x/wire'
import { RateLimitError } from '../base/errors.ts'
import type { RateLimit } from '../base/profiles.ts'

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
