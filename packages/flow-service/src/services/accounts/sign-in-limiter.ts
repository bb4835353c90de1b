import { clientNetworkOf } from '@x/wire'
import type { Runtime } from '@x/wire'
import { refuse } from '@x/flow-engine/internal'

/** Limits password attempts. An implementation may be shared by several processes. */
export interface SignInLimiter {
  /**
   * Takes an attempt before the password is checked, so that concurrent attempts count too. Returns 0
   * if the password may be checked; otherwise takes nothing and returns the seconds to wait.
   */
  take(address: string, username: string): number | Promise<number>
  /** Called after a correct password: returns the attempt and refills the bucket of the name. */
  giveBack(address: string, username: string): void | Promise<void>
}

interface Bucket {
  /** Attempts available at the last update. */
  level: number
  at: number
}

const BY_NAME = { size: 10, perSecond: 1 }
const BY_ADDRESS = { size: 100, perSecond: 5 }
/** Maximum number of buckets; the oldest are evicted. */
const MAX_BUCKETS = 10_000
/** The maximum length of a user name. */
const MAX_NAME = 256

/**
 * In-memory token buckets: 10 attempts per address and name, refilled at one per second; 100 per
 * address, refilled at five per second. A successful sign-in costs none and refills the bucket of its name.
 * All addresses of an IPv6 /64 count as one.
 */
export function createSignInLimiter(runtime: Runtime): SignInLimiter {
  const names = createBuckets(BY_NAME, runtime)
  const addresses = createBuckets(BY_ADDRESS, runtime)
  return {
    take(address, username) {
      const caller = clientNetworkOf(address)
      const name = nameKey(caller, username)
      const seconds = Math.max(names.delay(name), addresses.delay(caller))
      if (seconds > 0) return seconds
      names.add(name, -1)
      addresses.add(caller, -1)
      return 0
    },
    giveBack(address, username) {
      const caller = clientNetworkOf(address)
      names.fill(nameKey(caller, username))
      addresses.add(caller, 1)
    },
  }
}

/**
 * Takes an attempt.
 * @throws Refusal 429 with `retry-after` if none is left
 */
export async function takeAttempt(
  limiter: SignInLimiter,
  address: string,
  username: string,
): Promise<void> {
  const seconds = await limiter.take(address, username)
  if (seconds <= 0) return
  throw refuse(429, 'Too many login attempts. Try again later.', {
    headers: { 'retry-after': String(seconds) },
  })
}

function nameKey(caller: string, username: string): string {
  return `${caller} ${username.slice(0, MAX_NAME)}`
}

function createBuckets({ size, perSecond }: typeof BY_NAME, runtime: Runtime) {
  const buckets = new Map<string, Bucket>()
  const level = (bucket: Bucket, now: number): number =>
    // If the clock was set back, the level does not change.
    Math.min(size, bucket.level + (Math.max(0, now - bucket.at) / 1000) * perSecond)
  return {
    /** Seconds until an attempt is available. */
    delay(key: string): number {
      const bucket = buckets.get(key)
      const now = runtime.now().getTime()
      if (bucket !== undefined && now < bucket.at) bucket.at = now
      const left = bucket === undefined ? size : level(bucket, now)
      return left >= 1 ? 0 : Math.ceil((1 - left) / perSecond)
    },
    add(key: string, attempts: number): void {
      const now = runtime.now().getTime()
      const bucket = buckets.get(key) ?? { level: size, at: now }
      buckets.delete(key)
      const left = Math.min(size, level(bucket, now) + attempts)
      buckets.set(key, { level: Math.max(0, left), at: now })
      if (buckets.size > MAX_BUCKETS) {
        for (const [oldest] of buckets) {
          buckets.delete(oldest)
          break
        }
      }
    },
    fill: (key: string): void => void buckets.delete(key),
  }
}
