export { clientNetworkOf } from '@x/wire'
export {
  createRedisRateLimitStore,
  type RedisRateLimitOptions,
  type RedisScripts,
} from './lib/rate-limit/redis-store.ts'
export type { RefusalForm } from './lib/rate-limit/refusal.ts'
export {
  createMemoryRateLimitStore,
  type BucketLimit,
  type BucketState,
  type MemoryRateLimitOptions,
  type RateLimitStore,
} from './lib/rate-limit/store.ts'
export { withRateLimit, type RateLimitOptions } from './lib/rate-limit/with-rate-limit.ts'
