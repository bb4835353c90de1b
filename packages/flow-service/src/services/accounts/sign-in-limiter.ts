import { clientNetworkOf, createTokenBuckets, waitSeconds, type Runtime } from '@x/wire'
import { refuse } from '../../refusal.ts'

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

const BY_NAME = { burst: 10, perSecond: 1 }
const BY_ADDRESS = { burst: 100, perSecond: 5 }
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
  const names = createTokenBuckets(MAX_BUCKETS)
  const addresses = createTokenBuckets(MAX_BUCKETS)
  return {
    take(address, username) {
      const now = runtime.now().getTime()
      const caller = clientNetworkOf(address)
      const name = nameKey(caller, username)
      const byName = names.take(name, BY_NAME, now)
      const byAddress = addresses.take(caller, BY_ADDRESS, now)
      if (byName.allowed && byAddress.allowed) return 0
      if (byName.allowed) names.giveBack(name, BY_NAME, now)
      if (byAddress.allowed) addresses.giveBack(caller, BY_ADDRESS, now)
      return Math.max(
        byName.allowed ? 0 : waitSeconds(BY_NAME, byName),
        byAddress.allowed ? 0 : waitSeconds(BY_ADDRESS, byAddress),
      )
    },
    giveBack(address, username) {
      const caller = clientNetworkOf(address)
      names.fill(nameKey(caller, username))
      addresses.giveBack(caller, BY_ADDRESS, runtime.now().getTime())
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
