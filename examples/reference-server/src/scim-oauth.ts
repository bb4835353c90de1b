import { createPrivateKey, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto'
import {
  createSettingsClients,
  type ScimAuth,
  type ScimContext,
  type ScimOAuthSettings,
} from '@x/scim-core'
import type { ScimConnections } from '@x/scim-core/connections'
import { createTokenEndpoint, type OAuthFetch } from '@x/scim-core/oauth'
import type { SqlScimStore } from '@x/store-kysely/scim'
import type { Log } from './operate/log.ts'
import { openSealed, seal } from './sealed-text.ts'
import { SettingsError } from './settings/read-settings.ts'

/** Paths of the token endpoint of provisioning, its keys, and its metadata in both places (RFC 8414). */
const TOKEN_PATH = '/api/v1/scim/oauth/token'
const KEYS_PATH = '/api/v1/scim/oauth/jwks'
const METADATA_PATHS = [
  '/.well-known/oauth-authorization-server/api/v1/scim/oauth',
  '/api/v1/scim/oauth/.well-known/oauth-authorization-server',
]
const KEY_NAME = 'oauth-signing-key'

export interface ScimOAuthOptions {
  readonly enabled: boolean
  /** `SCIM_OAUTH_*`; undefined: none is set. */
  readonly settings: ScimOAuthSettings | undefined
  readonly publicUrl: string
  /** The base URL of SCIM, for which the tokens are. */
  readonly audience: string
  /** null unless connections are on. */
  readonly connections: ScimConnections | null
  readonly store: Pick<SqlScimStore, 'connections' | 'kept'>
  /** Seals the signing key in the database. */
  readonly secretKey: readonly string[]
  /** Fetches the keys of other issuers, guarded by the settings. */
  readonly fetch: OAuthFetch
  readonly log: Log
}

export interface ScimOAuth {
  /** Accepts the tokens of the endpoint; undefined while no client can exist. */
  readonly auth: ScimAuth | undefined
  /** Answers the paths of the endpoint; 404 without clients. */
  handle(request: Request, path: string, context: ScimContext): Promise<Response | null>
}

/** A token endpoint for the clients of the settings and of connections. */
export async function createScimOAuth({
  enabled,
  settings,
  publicUrl,
  audience,
  connections,
  store,
  secretKey,
  fetch,
  log,
}: ScimOAuthOptions): Promise<ScimOAuth> {
  const clients = settings?.clients ?? []
  const given = settings?.key === undefined ? undefined : readSigningKey(settings.key)
  if (!enabled || (clients.length === 0 && connections === null)) {
    return { auth: undefined, handle: async (_request, path) => (isOwn(path) ? nothing() : null) }
  }
  const base = `${publicUrl}/api/v1/scim/oauth`
  const endpoint = createTokenEndpoint({
    issuer: settings?.issuer ?? base,
    audience,
    store: createSettingsClients(clients, connections?.clients),
    key: { ...(given ?? (await keptKey(store, { secretKey, log }))) },
    ttlSeconds: settings?.ttlSeconds ?? 3_600,
    tokenEndpoint: `${base}/token`,
    jwksUri: `${base}/jwks`,
    unknownScopes: 'ignore',
    fetch,
  })
  let hasClients = clients.length > 0
  return {
    auth: endpoint.auth,
    async handle(request, path, context) {
      if (!isOwn(path)) return null
      hasClients ||= (await store.connections.hasClients?.()) === true
      if (!hasClients) return nothing()
      if (path === TOKEN_PATH) return endpoint.handle(request, context)
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        return Response.json(
          { detail: 'Method Not Allowed' },
          { status: 405, headers: { allow: 'GET, HEAD' } },
        )
      }
      const body = path === KEYS_PATH ? endpoint.jwks() : endpoint.metadata()
      return Response.json(body, { headers: { 'cache-control': 'public, max-age=300' } })
    },
  }
}

const isOwn = (path: string): boolean =>
  path === TOKEN_PATH || path === KEYS_PATH || METADATA_PATHS.includes(path)

const nothing = (): Response =>
  Response.json({ detail: 'Not Found' }, { status: 404, headers: { 'cache-control': 'no-store' } })

interface SigningKey {
  readonly kty: 'EC'
  readonly crv: string
  readonly x: string
  readonly y: string
  readonly d: string
}

/** @throws SettingsError unless it is a private P-256 key, as JWK or PEM */
export function readSigningKey(text: string): SigningKey {
  const wrong = new SettingsError('SCIM_OAUTH_KEY must be a private P-256 key, as JWK or PEM')
  let key: KeyObject
  try {
    const isJwk = text.startsWith('{')
    key = createPrivateKey(
      isJwk ? { key: JSON.parse(text) as JsonWebKey, format: 'jwk' } : text.replaceAll('\\n', '\n'),
    )
  } catch {
    throw wrong
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw wrong
  return key.export({ format: 'jwk' }) as unknown as SigningKey
}

type Kept = SqlScimStore['kept']

/** The key in the database, made once for all processes; one that no secret key opens is replaced. */
async function keptKey(
  { kept }: Pick<SqlScimStore, 'kept'>,
  { secretKey, log }: { readonly secretKey: readonly string[]; readonly log: Log },
): Promise<SigningKey> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const [current = ''] = secretKey
  const made = seal(JSON.stringify(privateKey.export({ format: 'jwk' })), current)
  const stored = await kept.keep(KEY_NAME, made)
  const opened = openWithAny(stored, secretKey)
  if (opened !== null) return JSON.parse(opened) as SigningKey
  log(
    'warning',
    'The key of SCIM access tokens was sealed with another secret key; it is replaced.',
  )
  await kept.exchange(KEY_NAME, stored, made)
  const replaced = openWithAny((await kept.get(KEY_NAME)) ?? made, secretKey)
  if (replaced === null) throw new SettingsError('SERVICE_SECRET_KEY differs between the processes')
  return JSON.parse(replaced) as SigningKey
}

/** Seals the kept key with the current secret key; false if it is, or if there is none that can be opened. */
export async function resealKey(kept: Kept, secretKey: readonly string[]): Promise<boolean> {
  const [current = ''] = secretKey
  const stored = await kept.get(KEY_NAME)
  if (stored === null || openSealed(stored, current) !== null) return false
  const text = openWithAny(stored, secretKey)
  return text !== null && (await kept.exchange(KEY_NAME, stored, seal(text, current)))
}

function openWithAny(sealed: string, secretKeys: readonly string[]): string | null {
  for (const key of secretKeys) {
    const opened = openSealed(sealed, key)
    if (opened !== null) return opened
  }
  return null
}
