import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, fetch as undiciFetch } from 'undici'
import { createAddressRules, type AddressRules } from './address-rules.ts'

/** Which addresses a guarded fetch may reach. */
export interface GuardedFetchOptions {
  /** Host names, addresses or CIDR ranges in private ranges that are allowed; none by default. */
  readonly allow?: readonly string[]
  /** Milliseconds to connect; 10,000. */
  readonly connectTimeoutMs?: number
}

/** An address that must not be fetched. Says the host, never the address it leads to. */
export class AddressBlockedError extends Error {
  readonly code = 'address_blocked'

  constructor(host: string) {
    super(`The address of ${host} is not allowed`)
    this.name = 'AddressBlockedError'
  }
}

/**
 * A fetch for addresses that users name: private ranges are closed (flow-engine section 11). The
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
      const literal = host.replace(/^\[(.*)\]$/, '$1')
      if (isIP(literal) !== 0 && !rules.allowsAddress(literal) && !rules.allowsHost(host)) {
        callback(new AddressBlockedError(host), null)
        return
      }
      connector(options, callback)
    },
  })
  return asFetch((input, init) => undiciFetch(input, { ...init, dispatcher }))
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
