import { createHash } from 'node:crypto'
import type { ObservedRequest } from '@x/flow-engine'

/** Credentials whose owner is remembered; those that were quiet longest go first. */
const MOST = 50_000

/** The owners of credentials, as far as a service has found them to be good. */
export interface KnownCallers {
  /** `user:ID` or `tenant:NAME`; undefined for a request without credentials that were good before. */
  ownerOf(request: Request, context: object): string | undefined
  /** Learns from a request that a service has answered. */
  readonly learn: (request: ObservedRequest, end: { readonly status: number }) => void
}

/**
 * Remembers whose credentials were accepted, by their digest, so that a limit can count by user before
 * anybody has looked at the credentials again. What nobody has accepted is not taken for a name: whoever
 * makes up keys is counted by address.
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
      if (owners.size <= MOST) return
      for (const oldest of owners.keys()) {
        owners.delete(oldest)
        break
      }
    },
  }
}

/** Of all credentials of a request together; undefined when it has none. */
function digestOf({ url, headers }: Request): string | undefined {
  const query = url.includes('x-api-key') ? new URL(url).searchParams.getAll('x-api-key') : []
  const cookie = /(?:^|;\s*)access_token_lf=([^;]+)/.exec(headers.get('cookie') ?? '')?.[1]
  const given = [headers.get('authorization'), headers.get('x-api-key'), cookie, ...query]
  if (given.every((value) => value === null || value === undefined || value === ''))
    return undefined
  return createHash('sha256').update(JSON.stringify(given)).digest('base64')
}
