import type { JWTPayload } from 'jose'
import { remember } from './attempts.ts'
import type { JSONWebKeySet } from '../base/signing-key.ts'

/** Directories typically send the same token with every request for an hour. */
const MAX_TOKENS = 200

/** Tokens with verified signature and claims, and the keys used for that. */
export interface VerifiedTokens {
  /** The claims of a token verified with these keys that has not expired. */
  claimsOf(token: string, keys: JSONWebKeySet): JWTPayload | undefined
  add(token: string, keys: JSONWebKeySet, claims: JWTPayload): void
}

/** Caches the last 200 tokens; `isExpired` is checked on every use. */
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
      remember(known, token, { keys, claims }, MAX_TOKENS)
    },
  }
}
