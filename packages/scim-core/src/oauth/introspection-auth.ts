import { createSystemRuntime, elapsedMs, type Runtime } from '@x/wire'
import { sha256Hex } from '../base/digest.ts'
import type { ScimAuthProblem, ScimPrincipal } from '../base/principal.ts'
import { CLIENT_CREDENTIALS, type ScimAuth } from '../options/auth.ts'
import type { OAuthFetch } from './key-source.ts'
import { scopesOfWords, wordsOf } from './scope-words.ts'

/** A token introspection response (RFC 7662). */
export type IntrospectionClaims = Readonly<Record<string, unknown>>

export interface IntrospectionAuthOptions {
  /** URL of the introspection endpoint. */
  readonly url: string
  readonly clientId: string
  readonly clientSecret: string
  readonly tenant: string | ((claims: IntrospectionClaims) => string | null)
  /** Default `scim`; null: none. */
  readonly requiredScope?: string | null
  /** How long a response is cached at most, in seconds. Default 60. */
  readonly cacheSeconds?: number
  readonly fetch?: OAuthFetch
  readonly runtime?: Runtime
}

const MAX_CACHED = 10_000
const TIMEOUT_MS = 5_000
const MAX_LENGTH = 8_192

interface Known {
  readonly principal: ScimPrincipal
  readonly since: number
  /** How long it is cached, in milliseconds. */
  readonly forMs: number
}

/** Accepts opaque tokens of another authorization server (SH-47). Accepted tokens are cached by digest. */
export function createIntrospectionAuth(options: IntrospectionAuthOptions): ScimAuth {
  const { runtime = createSystemRuntime(), cacheSeconds = 60, requiredScope = 'scim' } = options
  const cache = new Map<string, Known>()

  const principalOf = (claims: IntrospectionClaims): ScimPrincipal | null => {
    const { client_id: clientId, sub, username, scope } = claims
    const id = [clientId, sub, username].find((one) => typeof one === 'string' && one !== '')
    const tenant = typeof options.tenant === 'function' ? options.tenant(claims) : options.tenant
    const scopes = scopesOfWords(wordsOf(scope), requiredScope)
    if (typeof id !== 'string' || tenant === null || scopes === null) return null
    return { id, tenant, scopes, kind: 'token' }
  }

  const remember = (digest: string, known: Known): void => {
    const oldest = cache.size >= MAX_CACHED ? cache.keys().next() : undefined
    if (oldest?.done === false) cache.delete(oldest.value)
    cache.set(digest, known)
  }

  return {
    kind: 'bearer',
    scheme: CLIENT_CREDENTIALS,
    async authenticate(token): Promise<ScimPrincipal | ScimAuthProblem | null> {
      if (token.length > MAX_LENGTH) return null
      const digest = sha256Hex(token)
      const now = runtime.now().getTime()
      const known = cache.get(digest)
      if (known !== undefined && elapsedMs(known.since, now) < known.forMs) return known.principal
      cache.delete(digest)
      const claims = await introspect(options, token)
      if (claims === null) return { problem: 'unavailable' }
      if (claims['active'] !== true) return null
      const { exp } = claims
      const end = typeof exp === 'number' ? exp * 1_000 : Number.POSITIVE_INFINITY
      if (end <= now) return { problem: 'expired' }
      const principal = principalOf(claims)
      if (principal === null) return { problem: 'invalid' }
      remember(digest, { principal, since: now, forMs: Math.min(end - now, cacheSeconds * 1_000) })
      return principal
    },
  }
}

/** Null if the endpoint fails. */
async function introspect(
  { url, clientId, clientSecret, fetch: ask = fetch }: IntrospectionAuthOptions,
  token: string,
): Promise<IntrospectionClaims | null> {
  const credentials = [clientId, clientSecret].map(encodeURIComponent).join(':')
  try {
    const response = await ask(url, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(credentials)}`,
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (!response.ok) return null
    const claims: unknown = await response.json()
    return typeof claims === 'object' && claims !== null ? (claims as IntrospectionClaims) : null
  } catch {
    return null
  }
}
