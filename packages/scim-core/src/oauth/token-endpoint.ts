import { createSystemRuntime, readText, type Runtime } from '@x/wire'
import { createLocalJWKSet, errors, jwtVerify } from 'jose'
import { ALL_SCOPES, type ScimContext, type ScimScope } from '../base/principal.ts'
import { createSigningKey, type CryptoKey, type JWK } from '../base/signing-key.ts'
import { CLIENT_CREDENTIALS, type ScimAuth } from '../options/auth.ts'
import type { ClientStore, OAuthClient } from '../store/clients.ts'
import { createGuardedGet } from '../outbound/guarded-fetch.ts'
import { createClientCheck, type ClientMethod } from './client-check.ts'
import { createFederationCheck } from './federation-check.ts'
import type { OAuthFetch } from './key-source.ts'
import { OAuthError, oauthProblem } from './oauth-error.ts'

export interface TokenEndpointOptions {
  /** `iss` of the tokens, and the base of the URLs in `metadata`. */
  readonly issuer: string
  readonly audience: string
  /** `connections.clients`, or your own clients. */
  readonly store: ClientStore
  /** A private signing key. */
  readonly key: CryptoKey | JWK
  /** Default ES256. */
  readonly algorithm?: string
  /** Default 3,600. */
  readonly ttlSeconds?: number
  /** Default: all three. */
  readonly methods?: readonly ClientMethod[]
  /** Default `{issuer}/token`. */
  readonly tokenEndpoint?: string
  /** Default `{issuer}/jwks`. */
  readonly jwksUri?: string
  /**
   * What a scope that the client may not have does. Default `refuse`: `invalid_scope`; `ignore`: it is left out,
   * and a client that is left with none has all its rights.
   */
  readonly unknownScopes?: 'refuse' | 'ignore'
  /**
   * Fetches the keys of other issuers, and must guard itself against internal addresses. Default: https to public
   * addresses, which is checked on Node only.
   */
  readonly fetch?: OAuthFetch
  readonly runtime?: Runtime
}

/** A token endpoint for the client credentials grant (RFC 6749 section 4.4). */
export interface TokenEndpoint {
  /**
   * @param context `clientAddress`: failures are counted for each client id and network. Without it,
   * failures of any caller lock the client out for a minute.
   */
  handle(request: Request, context?: Pick<ScimContext, 'clientAddress'>): Promise<Response>
  /** The document of RFC 8414. */
  metadata(): Readonly<Record<string, unknown>>
  jwks(): { readonly keys: readonly JWK[] }
  /** Accepts tokens of this endpoint while their client exists. */
  readonly auth: ScimAuth
}

const BODY_BYTES = 65_536
const ALL_METHODS: readonly ClientMethod[] = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
]

/** @throws TypeError for a key that cannot sign */
export function createTokenEndpoint(options: TokenEndpointOptions): TokenEndpoint {
  const { issuer, audience, store, ttlSeconds = 3_600, methods = ALL_METHODS } = options
  const { algorithm = 'ES256', runtime = createSystemRuntime() } = options
  const base = issuer.replace(/\/$/, '')
  const { tokenEndpoint = `${base}/token`, jwksUri = `${base}/jwks` } = options
  const key = createSigningKey({ key: options.key, algorithm })
  const keys = createLocalJWKSet({ keys: [key.publicJwk] })
  const federated = createFederationCheck({
    fetch: options.fetch,
    guarded: createGuardedGet,
    runtime,
  })
  const audiences = [issuer, tokenEndpoint]
  const check = createClientCheck({ store, methods, runtime, audiences, federated })

  const grant = async (request: Request, clientAddress: string): Promise<Response> => {
    const form = await readForm(request)
    const grantType = form.get('grant_type')
    if (grantType === undefined) throw new OAuthError('invalid_request', 'grant_type is missing')
    if (grantType !== 'client_credentials') {
      throw new OAuthError('unsupported_grant_type', 'Only client_credentials is supported')
    }
    const { client, secretId } = await check(request, form, clientAddress)
    const scope = grantedScope(form.get('scope'), client, options.unknownScopes === 'ignore')
    const now = Math.floor(runtime.now().getTime() / 1_000)
    const { id } = client
    const claims = {
      iss: issuer,
      aud: audience,
      sub: id,
      client_id: id,
      scope,
      iat: now,
      exp: now + ttlSeconds,
      jti: runtime.uuid(),
      ...(secretId !== null && { secret_id: secretId }),
    }
    const token = await key.sign(claims, 'at+jwt')
    store.used?.(client, secretId)
    const body = { access_token: token, token_type: 'Bearer', expires_in: ttlSeconds, scope }
    return Response.json(body, { headers: { 'cache-control': 'no-store' } })
  }

  return {
    async handle(request, { clientAddress = '' } = {}) {
      if (request.method !== 'POST') {
        return oauthProblem(405, 'invalid_request', 'Use POST', { allow: 'POST' })
      }
      try {
        return await grant(request, clientAddress)
      } catch (error) {
        if (error instanceof OAuthError) return error.toResponse()
        return oauthProblem(503, 'temporarily_unavailable', 'Try again', { 'retry-after': '5' })
      }
    },
    metadata: () => ({
      issuer,
      token_endpoint: tokenEndpoint,
      jwks_uri: jwksUri,
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      scopes_supported: ['scim', ...ALL_SCOPES],
      token_endpoint_auth_methods_supported: methods,
      ...(methods.includes('private_key_jwt') && {
        token_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA'],
      }),
    }),
    jwks: () => ({ keys: [key.publicJwk] }),
    auth: {
      kind: 'bearer',
      scheme: CLIENT_CREDENTIALS,
      async authenticate(token) {
        if (token.length > 8_192 || token.split('.').length !== 3) return null
        try {
          const { payload } = await jwtVerify(token, keys, {
            issuer,
            audience,
            algorithms: [algorithm],
            typ: 'at+jwt',
            currentDate: runtime.now(),
            requiredClaims: ['exp'],
          })
          const client = await store.find(payload.sub ?? '')
          if (client === null || isOfRevoked(payload['secret_id'], client)) {
            return { problem: 'revoked' }
          }
          const words = String(payload['scope']).split(' ')
          const named = client.scopes.filter((scope) => words.includes(scope))
          const { id, tenant, connectionId, settings, provider } = client
          return {
            id,
            tenant,
            scopes: named.length === 0 ? client.scopes : named,
            kind: 'token',
            ...(connectionId !== null && { connectionId }),
            ...(settings !== undefined && { settings }),
            ...(provider !== undefined && { provider }),
          }
        } catch (error) {
          if (error instanceof errors.JWTExpired) return { problem: 'expired' }
          if (error instanceof errors.JOSEError) return null
          throw error
        }
      },
      ...(store.answered !== undefined && { answered: store.answered }),
    },
  }
}

/** @throws OAuthError invalid_request */
async function readForm(request: Request): Promise<ReadonlyMap<string, string>> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw new OAuthError('invalid_request', 'The body must be application/x-www-form-urlencoded')
  }
  let text: string
  try {
    text = await readText(request, BODY_BYTES, { fatal: true })
  } catch {
    throw new OAuthError('invalid_request', 'The body cannot be read')
  }
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name)) throw new OAuthError('invalid_request', 'A parameter occurs more than once')
    form.set(name, value)
  }
  return form
}

/** Returns whether a token was obtained with a secret that is revoked, or no longer among the client's. */
function isOfRevoked(secretId: unknown, { secrets = [] }: OAuthClient): boolean {
  if (typeof secretId !== 'string') return false
  const secret = secrets.find(({ id }) => id === secretId)
  return secret === undefined || secret.revokedAt != null
}

/** @throws OAuthError invalid_scope, unless unknown words are left out */
function grantedScope(
  asked: string | undefined,
  { scopes }: OAuthClient,
  ignoresUnknown: boolean,
): string {
  const words = [...new Set((asked ?? '').split(' ').filter((word) => word !== ''))]
  const isOwn = (word: string): boolean => scopes.includes(word as ScimScope)
  if (ignoresUnknown) {
    const own = words.filter(isOwn)
    if (own.length > 0) return own.join(' ')
    return ALL_SCOPES.every(isOwn) ? 'scim' : scopes.join(' ')
  }
  if (!words.every((word) => word === 'scim' || isOwn(word))) {
    throw new OAuthError('invalid_scope', 'This scope is not allowed for the client')
  }
  return words.length === 0 ? 'scim' : words.join(' ')
}
