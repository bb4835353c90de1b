import { createSystemRuntime, type Runtime } from '@x/wire'
import { decodeJwt, errors, jwtVerify, type JWTPayload } from 'jose'
import type { ScimAuthProblem, ScimPrincipal, ScimScope } from '../base/principal.ts'
import type { JSONWebKeySet } from '../base/signing-key.ts'
import { CLIENT_CREDENTIALS, type ScimAuth } from '../options/auth.ts'
import { finderOf, KeysUnavailable, verified } from './issuer-keys.ts'
import { createKeySource, type OAuthFetch } from './key-source.ts'
import { scopesOfWords, wordsOf } from './scope-words.ts'
import { createVerifiedTokens } from './verified-tokens.ts'

export type JwtClaims = JWTPayload

export interface JwtAuthOptions {
  readonly issuer: string | readonly string[]
  readonly audience: string | readonly string[]
  /** The keys, or the URL where they are published. */
  readonly jwks: URL | string | JSONWebKeySet
  /** Default RS256, PS256, ES256, EdDSA. */
  readonly algorithms?: readonly string[]
  /** Default 60. */
  readonly clockToleranceSeconds?: number
  /** A word the token's scope must contain. Default `scim`; null: none, as for Entra's tokens. */
  readonly requiredScope?: string | null
  /** One tenant for all tokens, or a function of the claims; null refuses the token. */
  readonly tenant: string | ((claims: JwtClaims) => string | null)
  /** Default: derived from the token's scope. */
  readonly scopes?: (claims: JwtClaims) => readonly ScimScope[]
  readonly fetch?: OAuthFetch
  readonly runtime?: Runtime
}

/** Those with public keys. */
export const JWT_ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const
const MAX_LENGTH = 8_192

/**
 * Accepts access tokens signed by an authorization server. Verified tokens are cached until they
 * expire or the keys change; tenant and scopes are evaluated on every request. Symmetric algorithms and
 * `none` are never accepted.
 * @throws TypeError for an algorithm without public keys
 */
export function createJwtAuth(options: JwtAuthOptions): ScimAuth {
  const { runtime = createSystemRuntime(), fetch: ask = fetch, requiredScope = 'scim' } = options
  const algorithms = options.algorithms ?? JWT_ALGORITHMS
  const wrong = algorithms.find((name) => !/^(?:RS|PS|ES)\d{3}$|^Ed(?:DSA|25519)$/.test(name))
  if (wrong !== undefined) throw new TypeError(`algorithms: ${wrong} does not use public keys`)
  const issuers = [options.issuer].flat()
  const source = createKeySource(options.jwks, { fetch: ask, runtime })
  const tolerance = options.clockToleranceSeconds ?? 60

  const principalOf = (claims: JwtClaims): ScimPrincipal | null => {
    const { client_id: clientId, azp, sub, scope, scp } = claims
    const id = [clientId, azp, sub].find((one) => typeof one === 'string' && one !== '')
    const tenant = typeof options.tenant === 'function' ? options.tenant(claims) : options.tenant
    const granted = scopesOfWords([...wordsOf(scope), ...wordsOf(scp)], requiredScope)
    if (typeof id !== 'string' || tenant === null || granted === null) return null
    return { id, tenant, scopes: options.scopes?.(claims) ?? granted, kind: 'token' }
  }

  const seconds = (): number => runtime.now().getTime() / 1_000
  const accepted = createVerifiedTokens(({ exp = 0 }) => exp <= seconds() - tolerance)
  const verify = async (token: string): Promise<JwtClaims> =>
    verified(source, async (keys) => {
      const known = accepted.claimsOf(token, keys)
      if (known !== undefined) return known
      const { payload } = await jwtVerify(token, finderOf(keys), {
        issuer: [...issuers],
        audience: [options.audience].flat(),
        algorithms: [...algorithms],
        clockTolerance: tolerance,
        currentDate: runtime.now(),
        requiredClaims: ['exp'],
      })
      const { iat } = payload
      if (iat !== undefined && iat > seconds() + tolerance) {
        throw new errors.JWTInvalid('iat is in the future')
      }
      accepted.add(token, keys, payload)
      return payload
    })

  return {
    kind: 'bearer',
    scheme: CLIENT_CREDENTIALS,
    async authenticate(token) {
      if (!isOf(token, issuers)) return null
      try {
        return principalOf(await verify(token)) ?? { problem: 'invalid' }
      } catch (error) {
        return problemOf(error)
      }
    },
  }
}

function problemOf(error: unknown): ScimAuthProblem {
  if (error instanceof KeysUnavailable) return { problem: 'unavailable' }
  if (error instanceof errors.JWTExpired) return { problem: 'expired' }
  if (error instanceof errors.JOSEError) return { problem: 'invalid' }
  throw error
}

/** Returns whether a token claims one of the issuers; other tokens are left to other methods. */
function isOf(token: string, issuers: readonly string[]): boolean {
  if (token.length > MAX_LENGTH || token.split('.').length !== 3) return false
  try {
    const { iss } = decodeJwt(token)
    return iss !== undefined && issuers.includes(iss)
  } catch {
    return false
  }
}
