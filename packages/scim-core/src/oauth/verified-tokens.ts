import type { JWTPayload } from 'jose'
import type { JSONWebKeySet } from '../base/signing-key.ts'

/** Directories send one token with each request for an hour. */
const MAX_TOKENS = 200

/** Tokens whose signature and claims have been verified, with the keys that were current then. */
export interface VerifiedTokens {
  /** The claims of a token that was verified with these keys and has not expired. */
  claimsOf(token: string, keys: JSONWebKeySet): JWTPayload | undefined
  add(token: string, keys: JSONWebKeySet, claims: JWTPayload): void
}

/** Keeps the last 200 tokens; `isExpired` is asked at each use. */
export function createVerifiedTokens(isExpired: (claims: JWTPayload) => boolean): VerifiedTokens {
  const known = new Map<string, { readonly keys: JSONWebKeySet; readonly claims: JWTPayload }>()
  return {
    claimsOf(token, keys) {
      const found = known.get(token)
      if (found === undefined) return undefined
      if (found.keys === keys && !isExpired(found.claims)) return found.claims
      known.delete(token)
      return undefined
    },
    add(token, keys, claims) {
      const [oldest] = known.keys()
      if (oldest !== undefined && known.size >= MAX_TOKENS) known.delete(oldest)
      known.set(token, { keys, claims })
    },
  }
}
