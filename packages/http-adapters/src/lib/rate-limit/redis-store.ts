import { refillMs } from '@x/wire'
import type { RateLimitStore } from './store.ts'

/** The only Redis command used; implemented by `ioredis` clients. */
export interface RedisScripts {
  eval(script: string, keys: number, ...values: (string | number)[]): Promise<unknown>
}

/** Options of Redis buckets. */
export interface RedisRateLimitOptions {
  /** Key prefix. Default `x:rate:`. */
  readonly prefix?: string
}

/**
 * A bucket is the time in milliseconds at which it is full again, by the clock of Redis; full buckets have
 * no key. If the clock was set back, a bucket does not become emptier than empty.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local step, whole = tonumber(ARGV[1]), tonumber(ARGV[2])
local before = tonumber(redis.call('GET', KEYS[1]) or now)
before = math.min(math.max(before, now), now + whole)
if before + step > now + whole + step / 1000 then return { 0, tostring(before - now) } end
local wait = before + step - now
redis.call('SET', KEYS[1], string.format('%.3f', before + step), 'PX', math.ceil(wait))
return { 1, tostring(wait) }`

/** Buckets in Redis 5 or newer, shared by every process that uses the same prefix. */
export function createRedisRateLimitStore(
  redis: RedisScripts,
  { prefix = 'x:rate:' }: RedisRateLimitOptions = {},
): RateLimitStore {
  return {
    async take(key, limit) {
      const step = refillMs(limit)
      const [allowed, wait] = (await redis.eval(
        TAKE,
        1,
        `${prefix}${key}`,
        step,
        step * limit.burst,
      )) as [number, string]
      return { allowed: allowed === 1, fullInMs: Number(wait) }
    },
  }
}
