import type { Runtime } from '@x/wire'

/** Slows wrong passwords; the interface lets several processes share one. */
export interface SignInLimiter {
  /** Seconds to wait, or 0: the attempt may be looked at. */
  delay(address: string, username: string): number | Promise<number>
  failed(address: string, username: string): void | Promise<void>
  succeeded(address: string, username: string): void | Promise<void>
}

interface Bucket {
  /** Attempts left when it was last looked at. */
  level: number
  at: number
}

const BY_NAME = { size: 10, perSecond: 1 }
const BY_ADDRESS = { size: 100, perSecond: 5 }
/** Buckets kept; the oldest give way. */
const MAX_BUCKETS = 10_000

/**
 * Token buckets in memory (login.md): 10 failed sign-ins for an address and a name, one more a
 * second; 100 for an address, five more a second. A good sign-in fills the bucket of its name.
 */
export function createSignInLimiter(runtime: Runtime): SignInLimiter {
  const names = createBuckets(BY_NAME, runtime)
  const addresses = createBuckets(BY_ADDRESS, runtime)
  return {
    delay: (address, username) =>
      Math.max(names.delay(nameKey(address, username)), addresses.delay(address)),
    failed(address, username) {
      names.take(nameKey(address, username))
      addresses.take(address)
    },
    succeeded: (address, username) => names.fill(nameKey(address, username)),
  }
}

function nameKey(address: string, username: string): string {
  return `${address} ${username}`
}

function createBuckets({ size, perSecond }: typeof BY_NAME, runtime: Runtime) {
  const buckets = new Map<string, Bucket>()
  const level = (bucket: Bucket, now: number): number =>
    Math.min(size, bucket.level + ((now - bucket.at) / 1000) * perSecond)
  return {
    delay(key: string): number {
      const bucket = buckets.get(key)
      const left = bucket === undefined ? size : level(bucket, runtime.now().getTime())
      return left >= 1 ? 0 : Math.ceil((1 - left) / perSecond)
    },
    take(key: string): void {
      const now = runtime.now().getTime()
      const bucket = buckets.get(key) ?? { level: size, at: now }
      buckets.delete(key)
      buckets.set(key, { level: Math.max(0, level(bucket, now) - 1), at: now })
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
