import { clientNetworkOf, createSystemRuntime, elapsedMs, readStream, type Runtime } from '@x/wire'
import { sha256Hex } from '../base/digest.ts'
import { RateLimitError } from '../base/errors.ts'
import type { ScimAuthProblem, ScimPrincipal } from '../base/principal.ts'
import { CLIENT_CREDENTIALS, type ScimAuth } from '../options/auth.ts'
import { createAttempts, remember } from './attempts.ts'
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
  /** Maximum time a response is cached, in seconds. Default 60. */
  readonly cacheSeconds?: number
  readonly fetch?: OAuthFetch
  readonly runtime?: Runtime
}

const MAX_CACHED = 10_000
const TIMEOUT_MS = 5_000
const ANSWER_BYTES = 1_048_576
/** How long the refusal of a token is cached. */
const REFUSED_MS = 30_000
/** Maximum refused unknown tokens per network and minute; then 429. */
const REFUSALS = 60
const WINDOW_MS = 60_000
const MAX_LENGTH = 8_192

interface CachedPrincipal {
  readonly principal: ScimPrincipal
  readonly since: number
  /** How long it is cached, in milliseconds. */
  readonly forMs: number
}

/**
 * Accepts opaque tokens of another authorization server. Responses are cached by digest, and requests
 * to the endpoint for unknown tokens are limited per network.
 */
export function createIntrospectionAuth(options: IntrospectionAuthOptions): ScimAuth {
  const { runtime = createSystemRuntime(), cacheSeconds = 60, requiredScope = 'scim' } = options
  const cache = new Map<string, CachedPrincipal>()

  const principalOf = (claims: IntrospectionClaims): ScimPrincipal | null => {
    const { client_id: clientId, sub, username, scope } = claims
    const id = [clientId, sub, username].find((one) => typeof one === 'string' && one !== '')
    const tenant = typeof options.tenant === 'function' ? options.tenant(claims) : options.tenant
    const scopes = scopesOfWords(wordsOf(scope), requiredScope)
    if (typeof id !== 'string' || tenant === null || scopes === null) return null
    return { id, tenant, scopes, kind: 'token' }
  }

  const verdictOf = (
    claims: IntrospectionClaims,
    isCurrent: boolean,
  ): ScimPrincipal | ScimAuthProblem | null => {
    if (claims['active'] !== true) return null
    return isCurrent ? (principalOf(claims) ?? { problem: 'invalid' }) : { problem: 'expired' }
  }
  const refused = new Map<string, number>()
  const attempts = createAttempts({ most: REFUSALS, windowMs: WINDOW_MS, kept: MAX_CACHED })
  const asking = new Map<string, Promise<IntrospectionClaims | null>>()
  /** Concurrent requests with the same token share one request to the endpoint. */
  const ask = (digest: string, token: string): Promise<IntrospectionClaims | null> => {
    const running = asking.get(digest)
    if (running !== undefined) return running
    const started = introspect(options, token).finally(() => asking.delete(digest))
    asking.set(digest, started)
    return started
  }

  return {
    kind: 'bearer',
    scheme: CLIENT_CREDENTIALS,
    async authenticate(token, _request, { clientAddress = '' } = {}) {
      if (token.length > MAX_LENGTH) return null
      const digest = sha256Hex(token)
      const now = runtime.now().getTime()
      const known = cache.get(digest)
      if (known !== undefined && elapsedMs(known.since, now) < known.forMs) return known.principal
      if (elapsedMs(refused.get(digest) ?? Number.NEGATIVE_INFINITY, now) < REFUSED_MS) return null
      // A token that was accepted before does not count towards the limit of its network.
      const network = known === undefined ? clientNetworkOf(clientAddress) : null
      if (network !== null) {
        const waitMs = attempts.take(network, now)
        if (waitMs > 0) throw new RateLimitError(Math.ceil(waitMs / 1_000))
      }
      const claims = await ask(digest, token)
      if (claims === null) return { problem: 'unavailable' }
      const { exp } = claims
      const end = typeof exp === 'number' ? exp * 1_000 : Number.POSITIVE_INFINITY
      const verdict = verdictOf(claims, end > now)
      if (verdict !== null && 'id' in verdict) {
        if (network !== null) attempts.giveBack(network)
        const forMs = Math.min(end - now, cacheSeconds * 1_000)
        remember(cache, digest, { principal: verdict, since: now, forMs }, MAX_CACHED)
        return verdict
      }
      cache.delete(digest)
      if (verdict === null) remember(refused, digest, now, MAX_CACHED)
      return verdict
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
    const claims: unknown = JSON.parse(
      new TextDecoder().decode(await readStream(response.body, ANSWER_BYTES)),
    )
    return typeof claims === 'object' && claims !== null ? (claims as IntrospectionClaims) : null
  } catch {
    return null
  }
}
