import { createHash } from 'node:crypto'
import type { ObservedRequest } from '@x/flow-service'

/** Maximum number of remembered credentials; least recently used ones are evicted. */
const MAX_ENTRIES = 50_000

/** The owners of credentials that a service has accepted. */
export interface KnownCallers {
  /** `user:ID` or `tenant:NAME`; undefined for a request without previously accepted credentials. */
  ownerOf(request: Request, context: object): string | undefined
  /** Remembers the owner of a request that was answered. */
  readonly learn: (request: ObservedRequest, end: { readonly status: number }) => void
}

/**
 * Remembers the owners of accepted credentials by digest, so that requests can be limited per user before
 * credentials are checked. Unknown credentials do not count as an identity, so callers who invent keys are
 * limited by address.
 */
export function createKnownCallers(): KnownCallers {
  const owners = new Map<string, string>()
  const seen = new WeakMap<object, string>()
  return {
    ownerOf(request, context) {
      const credentials = digestOf(request)
      if (credentials === undefined) return undefined
      seen.set(context, credentials)
      const owner = owners.get(credentials)
      if (owner === undefined) return undefined
      owners.delete(credentials)
      owners.set(credentials, owner)
      return owner
    },
    learn({ context, userId, tenant }, { status }) {
      const credentials = seen.get(context as object)
      if (credentials === undefined) return
      const isRefused = status === 401 || status === 403
      const owner = userId === undefined ? tenant && `tenant:${tenant}` : `user:${userId}`
      if (owner !== undefined && !isRefused) owners.set(credentials, owner)
      else if (owner === undefined && isRefused) owners.delete(credentials)
      if (owners.size <= MAX_ENTRIES) return
      for (const oldest of owners.keys()) {
        owners.delete(oldest)
        break
      }
    },
  }
}

/** Digest of all credentials of a request; undefined if there are none. */
function digestOf({ url, headers }: Request): string | undefined {
  const query = url.includes('x-api-key') ? new URL(url).searchParams.getAll('x-api-key') : []
  const cookie = /(?:^|;\s*)access_token_lf=([^;]+)/.exec(headers.get('cookie') ?? '')?.[1]
  const given = [headers.get('authorization'), headers.get('x-api-key'), cookie, ...query]
  if (given.every((value) => value === null || value === undefined || value === ''))
    return undefined
  return createHash('sha256').update(JSON.stringify(given)).digest('base64')
}
