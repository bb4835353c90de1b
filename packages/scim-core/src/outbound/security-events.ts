import { createSystemRuntime, type Runtime } from '@x/wire'
import { createSigningKey, type CryptoKey, type JWK } from '../base/signing-key.ts'
import type { EndpointRecord, OutboxRow, OutboxStore } from '../store/outbox.ts'
import { attemptOf, readAnswer } from './answer.ts'
import { createDispatcher, type Attempt, type Dispatcher } from './dispatcher.ts'
import { createEndpointSecrets } from './endpoint-secrets.ts'
import { createGuardedFetch, type DeliveryFetch } from './guarded-fetch.ts'
import { createPollHandler } from './poll-handler.ts'
import { createSealer } from './seal.ts'
import { setClaims } from './set-claims.ts'
import { SESSION_REVOKED } from './session-events.ts'
import { eventUrisOf, type SetMode, type SetProfile } from './set-events.ts'
import { createStreams, type SecurityEventStreams } from './streams.ts'
import { RETRY_DELAYS } from './webhooks.ts'

export interface SecurityEventsOptions {
  /** `store.outbox` of a store whose service has `outbox: true`. */
  readonly store: OutboxStore
  /** At least 32 characters; encrypts the credentials of push streams. */
  readonly secretKey: string | readonly string[]
  /** `iss` of the tokens. */
  readonly issuer: string
  /** The service's base URL; poll streams are below it. */
  readonly baseUrl: string
  /** A private signing key. */
  readonly key: CryptoKey | JWK
  /** Default ES256. */
  readonly algorithm?: string
  /** Default: `kid` of the JWK, else its thumbprint. */
  readonly keyId?: string
  /** Include names of attributes only (default), or their values. */
  readonly mode?: SetMode
  /** `caep`: `session-revoked` for who is deactivated or removed, instead of the changes. Default `scim`. */
  readonly profile?: SetProfile
  /** Where you serve `jwks()`, for `metadata()`. Default: `/.well-known/jwks.json` of the issuer. */
  readonly jwksUri?: string
  /** Your own resource types, whose tokens use their endpoint. */
  readonly resourceTypes?: readonly { readonly name: string; readonly endpoint: string }[]
  readonly runtime?: Runtime
  /** Same as for `createWebhooks`. */
  readonly fetch?: DeliveryFetch
  readonly allowLoopback?: boolean
  readonly retryDelays?: readonly number[]
  readonly onError?: (error: unknown) => void
}

/** Sends committed changes as Security Event Tokens (RFC 8417), pushed (RFC 8935) or polled (RFC 8936). */
export interface SecurityEvents extends Dispatcher {
  readonly streams: SecurityEventStreams
  /** Handles POST {baseUrl}/SecurityEvents/{streamId} (RFC 8936). */
  handle(request: Request): Promise<Response>
  /** The public keys of the tokens. */
  jwks(): { readonly keys: readonly JWK[] }
  /** The document of `/.well-known/ssf-configuration`, for receivers that look the transmitter up. */
  metadata(): Readonly<Record<string, unknown>>
  readonly eventUris: readonly string[]
  /** Deletes settled events older than a time; returns their number. */
  prune(before: Date): Promise<number>
}

/** @throws TypeError for a `secretKey` under 32 characters, or a key that cannot sign */
export function createSecurityEvents(options: SecurityEventsOptions): SecurityEvents {
  const {
    store,
    secretKey,
    issuer,
    algorithm = 'ES256',
    mode = 'notice',
    profile = 'scim',
    jwksUri = new URL('/.well-known/jwks.json', issuer).href,
    runtime = createSystemRuntime(),
    allowLoopback = false,
    fetch: send = createGuardedFetch(allowLoopback),
    retryDelays = RETRY_DELAYS,
    onError = () => undefined,
  } = options
  const key = createSigningKey({ key: options.key, algorithm, keyId: options.keyId })
  const secrets = createEndpointSecrets(createSealer(secretKey, runtime))
  if (profile !== 'scim' && profile !== 'caep') throw new TypeError('profile must be scim or caep')
  const eventUris = profile === 'caep' ? [SESSION_REVOKED] : eventUrisOf(mode)
  const endpoints = new Map(options.resourceTypes?.map(({ name, endpoint }) => [name, endpoint]))
  const endpointOf = (type: string): string => endpoints.get(type) ?? `/${type}s`

  /** null: the stream does not subscribe to any of the events. */
  const tokenOf = async (stream: EndpointRecord, head: OutboxRow): Promise<string | null> => {
    const rows = await store.set(head.tenant, head.resourceId, head.setId)
    const { audience, events } = stream
    const about = { audience: audience ?? '', events, now: runtime.now() }
    const claims = setClaims(rows, about, { issuer, mode, profile, endpointOf })
    return claims === null ? null : key.sign(claims, 'secevent+jwt')
  }

  const dispatcher = createDispatcher({
    store,
    kinds: ['push'],
    runtime,
    concurrency: 8,
    timeoutMs: 15_000,
    retryDelays,
    onError,
    async send(stream, { event }, signal) {
      const body = await tokenOf(stream, event)
      if (body === null) return { outcome: 'delivered', status: null, error: null }
      const [authorization] = await secrets.open(stream)
      const response = await send(stream.url ?? '', {
        method: 'POST',
        headers: {
          'content-type': 'application/secevent+jwt',
          accept: 'application/json',
          'user-agent': 'x-scim-webhooks/1',
          ...(authorization !== undefined && { authorization: authorization.secret }),
        },
        body,
        redirect: 'manual',
        signal,
      })
      return pushAttempt(response, await readAnswer(response, runtime), runtime.now())
    },
  })

  return {
    ...dispatcher,
    streams: createStreams({ store, secrets, runtime, allowLoopback, eventUris }),
    handle: createPollHandler({ store, runtime, baseUrl: options.baseUrl, tokenOf, onError }),
    jwks: () => ({ keys: [key.publicJwk] }),
    metadata: () => ({
      spec_version: '1_0',
      issuer,
      jwks_uri: jwksUri,
      delivery_methods_supported: ['urn:ietf:rfc:8935', 'urn:ietf:rfc:8936'],
    }),
    eventUris,
    prune: (before) => store.prune(before),
  }
}

/** Receiver errors that a retry may resolve (RFC 8935 section 2.4). */
const TEMPORARY: ReadonlySet<unknown> = new Set(['authentication_failed', 'access_denied'])

/** An error about the token itself is final. */
function pushAttempt(response: Response, text: string, now: Date): Attempt {
  const attempt = attemptOf(response, now)
  if (response.status !== 400) return attempt
  const err = errOf(text)
  if (typeof err !== 'string') return attempt
  const error = `HTTP 400 ${err}`
  return TEMPORARY.has(err) ? { ...attempt, error } : { ...attempt, outcome: 'failed', error }
}

function errOf(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? Reflect.get(body, 'err') : undefined
  } catch {
    return undefined
  }
}
