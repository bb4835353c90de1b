import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent, buildConnector, fetch as undiciFetch } from 'undici'
import { AddressBlockedError } from '../outgoing/address-blocked.ts'
import { createAddressRules, isAddress, type AddressRules } from '../outgoing/address-rules.ts'
import type { GuardedFetchOptions } from '../outgoing/fetch-options.ts'
import { guardedBy } from '../outgoing/open-fetch.ts'

/**
 * A fetch for addresses that users name: private ranges are closed (AB-40). The
 * check is made on the address that is connected to, after resolution and on every redirect, so
 * that a name cannot change its mind in between.
 * @throws TypeError naming an entry of `allow` that cannot be read
 */
export function createGuardedFetch({
  allow = [],
  connectTimeoutMs = 10_000,
}: GuardedFetchOptions = {}): typeof fetch {
  const rules = createAddressRules(allow)
  const connector = buildConnector({ timeout: connectTimeoutMs, lookup: guardedLookup(rules) })
  const dispatcher = new Agent({
    connect(options, callback) {
      const host = options.hostname
      // No look-up is made for a host that is an address already.
      if (isAddress(host) && !rules.allowsAddress(host) && !rules.allowsHost(host)) {
        callback(new AddressBlockedError(host), null)
        return
      }
      connector(options, callback)
    },
  })
  const guarded = asFetch((input, init) => undiciFetch(input, { ...init, dispatcher }))
  return guardedBy(
    (input, init) => guarded(input, init).catch(throwBlocked),
    (input, init) => fetch(input, init),
  )
}

/** fetch wraps connection errors; a closed address is reported as such. */
function throwBlocked(error: unknown): never {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  throw cause instanceof AddressBlockedError ? cause : error
}

function guardedLookup(rules: AddressRules): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null || first === undefined) {
        callback(error ?? new AddressBlockedError(host), '', 0)
        return
      }
      const open = rules.allowsHost(host)
      if (!open && !addresses.every(({ address }) => rules.allowsAddress(address))) {
        callback(new AddressBlockedError(host), '', 0)
      } else if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

type Guarded = (...args: Parameters<typeof undiciFetch>) => ReturnType<typeof undiciFetch>

/** The same function by the types of the platform, of which undici's own differ in name only. */
function asFetch(guarded: Guarded): typeof fetch {
  const platform = (input: unknown, init: object = {}): Promise<unknown> => {
    if (!(input instanceof Request)) return guarded(String(input), init)
    const { url, init: parts } = fromRequest(input)
    return guarded(url, { ...parts, ...init })
  }
  return platform as typeof fetch
}

/** A Request of the platform in parts: undici takes its own class only. */
function fromRequest(request: Request): { url: string; init: object } {
  const { url, method, headers, body, signal, redirect } = request
  const sent = body === null ? {} : { body, duplex: 'half' }
  return { url, init: { method, headers: [...headers], signal, redirect, ...sent } }
}
