import { AddressBlockedError } from './address-blocked.ts'
import { createAddressRules, isAddress } from './address-rules.ts'
import type { GuardedFetchOptions } from './fetch-options.ts'
import { followingRedirects } from './follow-redirects.ts'
import { guardedBy } from './open-fetch.ts'

/**
 * Creates a fetch for user-supplied URLs in runtimes without sockets. It refuses private address
 * literals and `localhost`, on every redirect too. Names are not resolved.
 * @throws TypeError that names an invalid entry of `allow`
 */
export function createGuardedFetch({ allow = [] }: GuardedFetchOptions = {}): typeof fetch {
  const rules = createAddressRules(allow)
  const check = (url: string): void => {
    const { hostname } = new URL(url)
    const isLocal = /(^|\.)localhost\.?$/i.test(hostname)
    const isClosed = isLocal || (isAddress(hostname) && !rules.allowsAddress(hostname))
    if (isClosed && !rules.allowsHost(hostname)) throw new AddressBlockedError(hostname)
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
