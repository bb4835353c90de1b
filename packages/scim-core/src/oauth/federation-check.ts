import type { Runtime } from '@x/wire'
import { errors, jwtVerify } from 'jose'
import type { ClientFederation } from '../base/client-federation.ts'
import { readTargetUrl } from '../outbound/target-url.ts'
import { remember } from './attempts.ts'
import { finderOf, KeysUnavailable, verified } from './issuer-keys.ts'
import { createKeySource, type KeySource, type OAuthFetch } from './key-source.ts'
import { OAuthError } from './oauth-error.ts'

/** Returns whether an assertion is that of a workload. */
export type FederationCheck = (assertion: string, federation: ClientFederation) => Promise<boolean>

const MAX_ISSUERS = 1_000
const DAY_SECONDS = 86_400
const SKEW_SECONDS = 60
const MAX_LENGTH = 16_384

/**
 * Verifies assertions of other issuers. Their keys are cached as those of access tokens; an assertion may be
 * used until it expires, at most a day.
 * @throws OAuthError temporarily_unavailable while the keys cannot be fetched
 */
export function createFederationCheck({
  fetch: given,
  guarded,
  runtime,
}: {
  /** Guards itself. */
  readonly fetch: OAuthFetch | undefined
  readonly guarded: () => OAuthFetch
  readonly runtime: Runtime
}): FederationCheck {
  const sources = new Map<string, KeySource>()
  let ask = given
  const sourceOf = (jwksUri: string): KeySource => {
    const known = sources.get(jwksUri)
    if (known !== undefined) return known
    ask ??= guarded()
    const fetchKeys = given ?? checked(ask)
    const source = createKeySource(jwksUri, { fetch: fetchKeys, runtime })
    remember(sources, jwksUri, source, MAX_ISSUERS)
    return source
  }

  return async (assertion, { issuer, subject, audience, jwksUri }) => {
    if (assertion.length > MAX_LENGTH) return false
    try {
      return await verified(sourceOf(jwksUri), async (keys) => {
        const now = runtime.now()
        const { payload } = await jwtVerify(assertion, finderOf(keys), {
          issuer,
          subject,
          audience,
          algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
          clockTolerance: SKEW_SECONDS,
          currentDate: now,
          requiredClaims: ['exp'],
        })
        return (payload.exp ?? 0) <= now.getTime() / 1_000 + DAY_SECONDS + SKEW_SECONDS
      })
    } catch (error) {
      if (error instanceof errors.JOSEError) return false
      if (!(error instanceof KeysUnavailable)) throw error
      const headers = { 'retry-after': '30' }
      throw new OAuthError('temporarily_unavailable', 'The keys cannot be fetched', headers)
    }
  }
}

/** Addresses are checked as those of webhooks, before names are resolved. */
function checked(ask: OAuthFetch): OAuthFetch {
  return async (url, init) => ask(readTargetUrl(url, false), init)
}
