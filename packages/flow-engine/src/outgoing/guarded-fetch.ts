import { createAddressGuard, followingRedirects } from '@x/wire'
import { AddressBlockedError } from './address-blocked.ts'
import type { GuardedFetchOptions } from './fetch-options.ts'
import { guardedBy } from './open-fetch.ts'

/**
 * Creates a fetch for user-supplied URLs in runtimes without sockets. It refuses private address
 * literals and `localhost`, on every redirect too. Names are not resolved.
 * @throws TypeError that names an invalid entry of `allow`
 */
export function createGuardedFetch({ allow = [] }: GuardedFetchOptions = {}): typeof fetch {
  const { rules, refusal } = createAddressGuard(allow, (host) => new AddressBlockedError(host))
  const check = (url: string): void => {
    const { hostname } = new URL(url)
    const isLocal = /(^|\.)localhost\.?$/i.test(hostname) && !rules.allowsHost(hostname)
    const error = isLocal ? new AddressBlockedError(hostname) : refusal(hostname)
    if (error !== undefined) throw error
  }
  const guarded = followingRedirects(async (input, init) => {
    check(input instanceof Request ? input.url : String(input))
    return await fetch(input, init)
  })
  return guardedBy(
    guarded,
    followingRedirects((input, init) => fetch(input, init)),
  )
}
