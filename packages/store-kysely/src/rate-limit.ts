export { migrateRateLimits } from './rate/schema.ts'
export { createRateLimitStore, type BucketLimit, type SqlRateLimitStore } from './rate/store.ts'
