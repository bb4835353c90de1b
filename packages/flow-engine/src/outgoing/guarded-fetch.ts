import { AddressBlockedError } from './address-blocked.ts'
import { createAddressRules, isAddress } from './address-rules.ts'
import type { GuardedFetchOptions } from './fetch-options.ts'
import { guardedBy } from './open-fetch.ts'

const MAX_REDIRECTS = 20

/**
 * Creates a fetch for user-supplied URLs in runtimes without sockets (AB-43). It refuses private address
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
  const guarded: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    if (request.redirect !== 'follow') {
      check(request.url)
      return await fetch(request)
    }
    return await follow(request, check)
  }
  return guardedBy(guarded, (input, init) => fetch(input, init))
}

/** Follows redirects one at a time to check each address. The body is sent to the first address only. */
async function follow(first: Request, check: (url: string) => void): Promise<Response> {
  let request = first
  for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
    check(request.url)
    const response = await fetch(new Request(request, { redirect: 'manual' }))
    const location = response.headers.get('location')
    if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response
    await response.body?.cancel()
    const keepsBody = response.status >= 307 && request.method !== 'GET'
    if (keepsBody) throw new TypeError('A redirect that would send the body again is not followed')
    const target = new URL(location, request.url)
    const headers = new Headers(request.headers)
    if (target.origin !== new URL(request.url).origin) {
      for (const name of ['authorization', 'cookie', 'x-api-key']) headers.delete(name)
    }
    const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
    request = new Request(target, { method, headers, signal: request.signal })
  }
  throw new TypeError('Too many redirects')
}
