import { lookup, type LookupOptions } from 'node:dns'
import { Agent, buildConnector, fetch as undiciFetch } from 'undici'
import { createAddressGuard, followingRedirects, type LookUp } from '@x/wire'
import { AddressBlockedError } from '../outgoing/address-blocked.ts'
import type { GuardedFetchOptions } from '../outgoing/fetch-options.ts'
import { guardedBy } from '../outgoing/open-fetch.ts'

/**
 * A fetch for user-supplied URLs that blocks private address ranges. The address actually
 * connected to is checked, after name resolution and on every redirect, which prevents DNS
 * rebinding.
 * @throws TypeError naming an invalid entry of `allow`
 */
export function createGuardedFetch({
  allow = [],
  connectTimeoutMs = 10_000,
}: GuardedFetchOptions = {}): typeof fetch {
  const guard = createAddressGuard(allow, (host) => new AddressBlockedError(host))
  const connector = buildConnector({ timeout: connectTimeoutMs, lookup: guard.lookup(resolve) })
  const dispatcher = new Agent({
    connect(options, callback) {
      // Hosts that are IP addresses are not looked up.
      const refusal = guard.refusal(options.hostname)
      if (refusal === undefined) connector(options, callback)
      else callback(refusal, null)
    },
  })
  const guarded = asFetch((input, init) => undiciFetch(input, { ...init, dispatcher }))
  return guardedBy(
    followingRedirects((input, init) => guarded(input, init).catch(throwBlocked)),
    followingRedirects((input, init) => fetch(input, init)),
  )
}

/** fetch wraps connection errors; a blocked address is rethrown as such. */
function throwBlocked(error: unknown): never {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  throw cause instanceof AddressBlockedError ? cause : error
}

/** Reads the module's member at each call, which tests replace. */
const resolve: LookUp<LookupOptions> = (host, options, callback) => lookup(host, options, callback)

type Guarded = (...args: Parameters<typeof undiciFetch>) => ReturnType<typeof undiciFetch>

/** Casts to the platform's types; undici's own differ in name only. */
function asFetch(guarded: Guarded): typeof fetch {
  const platform = (input: unknown, init: object = {}): Promise<unknown> => {
    if (!(input instanceof Request)) return guarded(String(input), init)
    const { url, init: parts } = fromRequest(input)
    return guarded(url, { ...parts, ...init })
  }
  return platform as typeof fetch
}

/** Splits a platform Request into URL and init, because undici accepts its own class only. */
function fromRequest(request: Request): { url: string; init: object } {
  const { url, method, headers, body, signal, redirect } = request
  const sent = body === null ? {} : { body, duplex: 'half' }
  return { url, init: { method, headers: [...headers], signal, redirect, ...sent } }
}
