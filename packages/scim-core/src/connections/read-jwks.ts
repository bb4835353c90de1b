import { isObject } from '@x/wire'
import type { JSONWebKeySet } from '../base/signing-key.ts'

/** Only public keys are accepted, because private ones must not be stored here. @throws TypeError */
export function readJwks(jwks: JSONWebKeySet): JSONWebKeySet {
  const isList = typeof jwks === 'object' && jwks !== null && Array.isArray(jwks.keys)
  if (!isList || jwks.keys.length === 0 || jwks.keys.length > 20) {
    throw new TypeError('jwks must hold 1 to 20 keys')
  }
  if (!jwks.keys.every(isObject) || jwks.keys.some((key) => 'd' in key || 'k' in key)) {
    throw new TypeError('jwks must hold public keys only')
  }
  return jwks
}
