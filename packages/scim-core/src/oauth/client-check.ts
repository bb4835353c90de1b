import { clientNetworkOf, constantTimeEqual, elapsedMs, type Runtime } from '@x/wire'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { sha256Hex } from '../base/digest.ts'
import type { JSONWebKeySet } from '../base/signing-key.ts'
import type { ClientStore, OAuthClient } from '../store/clients.ts'
import { remember } from './attempts.ts'
import type { FederationCheck } from './federation-check.ts'
import { OAuthError } from './oauth-error.ts'

/** How a client can authenticate. */
export type ClientMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

interface Credential {
  readonly method: ClientMethod
  readonly clientId: string
  readonly proof: string
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const ASSERTION_SECONDS = 300
const FAILURES = 10
const WINDOW_MS = 60_000
const MAX_REMEMBERED = 10_000
/** Maximum unexpired assertions of a client. Further ones are refused: forgetting one would allow its replay. */
const MAX_ASSERTIONS = 1_000
/** Maximum characters of a client id or `jti`, which are stored. */
const MAX_ID_LENGTH = 512

/** An authenticated client. */
interface ProvenClient {
  readonly client: OAuthClient
  /** The id of the secret that it used; null: another credential. */
  readonly secretId: string | null
}

/** Authenticates the client of a token request from an address, which may be unknown. */
type ClientCheck = (
  request: Request,
  form: ReadonlyMap<string, string>,
  clientAddress: string,
) => Promise<ProvenClient>

/**
 * Authenticates the client of a token request. Failures are counted for each client id and network,
 * so that strangers elsewhere cannot lock a client out.
 * @throws OAuthError invalid_client, invalid_request, or too_many_requests after 10 failures in a minute
 */
export function createClientCheck({
  store,
  methods,
  runtime,
  audiences,
  federated,
}: {
  readonly store: ClientStore
  readonly methods: readonly ClientMethod[]
  readonly runtime: Runtime
  readonly audiences: readonly string[]
  readonly federated: FederationCheck
}): ClientCheck {
  const failures = new Map<string, { since: number; count: number }>()
  /** `jti` of each client's assertions until they expire, so that this process accepts none twice. */
  const used = new Map<string, Map<string, number>>()

  const fail = (caller: string): void => {
    const now = runtime.now().getTime()
    const known = failures.get(caller)
    if (known === undefined || elapsedMs(known.since, now) >= WINDOW_MS) {
      failures.delete(caller)
      remember(failures, caller, { since: now, count: 1 }, MAX_REMEMBERED)
    } else known.count += 1
  }

  const assertCalm = (caller: string): void => {
    const known = failures.get(caller)
    if (known === undefined || known.count < FAILURES) return
    const rest = WINDOW_MS - elapsedMs(known.since, runtime.now().getTime())
    if (rest > 0) throw tooMany('Too many failures of this client', rest / 1_000)
  }

  /**
   * Also false for an assertion that has expired meanwhile, as its first use may no longer be known.
   * @throws OAuthError too_many_requests
   */
  const isFirstUse = (clientId: string, jti: string, exp: number): boolean => {
    const seconds = runtime.now().getTime() / 1_000
    if (exp <= seconds) return false
    const ids = used.get(clientId) ?? new Map<string, number>()
    for (const [id, end] of ids) if (end <= seconds) ids.delete(id)
    if (ids.has(jti)) return false
    if (ids.size >= MAX_ASSERTIONS) {
      const earliest = [...ids.values()].reduce((least, end) => Math.min(least, end))
      throw tooMany('Too many assertions of this client', earliest - seconds)
    }
    used.set(clientId, ids.set(jti, exp))
    return true
  }

  const isAssertion = async (client: OAuthClient, proof: string): Promise<boolean> => {
    if (client.federation != null && (await federated(proof, client.federation))) return true
    if (client.jwks === null) return false
    try {
      const now = runtime.now()
      const { payload } = await jwtVerify(proof, createLocalJWKSet(client.jwks as JSONWebKeySet), {
        issuer: client.id,
        subject: client.id,
        audience: [...audiences],
        algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'],
        currentDate: now,
        requiredClaims: ['exp', 'jti'],
      })
      const { exp = 0, jti = '' } = payload
      if (typeof jti !== 'string' || jti.length > MAX_ID_LENGTH) return false
      if (exp > now.getTime() / 1_000 + ASSERTION_SECONDS) return false
      return isFirstUse(client.id, jti, exp)
    } catch (error) {
      if (error instanceof OAuthError) throw error
      return false
    }
  }

  /** null: wrong. */
  const prove = async (
    { method, proof }: Credential,
    client: OAuthClient | null,
  ): Promise<Proof | null> => {
    if (method !== 'private_key_jwt') return secretOf(client, proof, runtime.now())
    return client !== null && (await isAssertion(client, proof)) ? ANOTHER : null
  }

  return async (request, form, clientAddress) => {
    const credential = credentialOf(request, form)
    const { method, clientId } = credential
    if (clientId.length > MAX_ID_LENGTH) throw unknownClient()
    const caller = `${clientNetworkOf(clientAddress)}\n${clientId}`
    assertCalm(caller)
    const client = methods.includes(method) ? await store.find(clientId) : null
    const proof = await prove(credential, client)
    // Checked again, because the limit also applies to guesses that arrive at the same time.
    assertCalm(caller)
    if (client !== null && proof !== null && !proof.hasExpired) {
      return { client, secretId: proof.secretId }
    }
    fail(caller)
    if (client === null || proof?.hasExpired !== true) throw unknownClient()
    store.refused?.(client)
    throw new OAuthError('invalid_client', 'The client secret has expired')
  }
}

function unknownClient(): OAuthError {
  return new OAuthError('invalid_client', 'The client is unknown, or its credential is wrong')
}

function tooMany(message: string, seconds: number): OAuthError {
  const headers = { 'retry-after': String(Math.max(1, Math.ceil(seconds))) }
  return new OAuthError('too_many_requests', message, headers)
}

interface Proof {
  readonly secretId: string | null
  readonly hasExpired: boolean
}

const ANOTHER: Proof = { secretId: null, hasExpired: false }
/** Compared for clients without a secret, so that the time does not reveal which clients exist. */
const NO_DIGEST = '0'.repeat(64)

/** The secret that was sent; null if it is none of the client's. All are compared. */
function secretOf(client: OAuthClient | null, sent: string, now: Date): Proof | null {
  const encoder = new TextEncoder()
  const given = encoder.encode(sha256Hex(sent))
  const isEqual = (digest: string): boolean => constantTimeEqual(given, encoder.encode(digest))
  const isOwn = isEqual(client?.digest ?? NO_DIGEST)
  const equal = (client?.secrets ?? []).filter(({ digest }) => isEqual(digest))
  if (client?.digest != null && isOwn) return ANOTHER
  const usable = equal.filter(
    ({ notBefore, revokedAt }) => revokedAt == null && (notBefore == null || notBefore <= now),
  )
  const live = usable.find(({ expiresAt }) => expiresAt === null || expiresAt > now)
  const found = live ?? usable[0]
  return found === undefined ? null : { secretId: found.id, hasExpired: live === undefined }
}

/** @throws OAuthError */
function credentialOf(request: Request, form: ReadonlyMap<string, string>): Credential {
  const header = request.headers.get('authorization')
  const secret = form.get('client_secret')
  const assertion = form.get('client_assertion')
  const given = [header, secret, assertion].filter((one) => one !== null && one !== undefined)
  if (given.length > 1) throw new OAuthError('invalid_request', 'Use one way to authenticate')
  const clientId = form.get('client_id')
  if (header !== null) {
    const basic = readBasic(header)
    if (clientId === undefined || clientId === basic.clientId) {
      return { method: 'client_secret_basic', ...basic }
    }
    throw new OAuthError('invalid_request', 'client_id is not that of the authorization header')
  }
  if (assertion !== undefined) {
    if (form.get('client_assertion_type') !== ASSERTION_TYPE) {
      throw new OAuthError('invalid_request', 'client_assertion_type is not that of a JWT')
    }
    // An assertion of another issuer names the workload there, so that client_id names the client.
    const named = clientId ?? subjectOf(assertion)
    return { method: 'private_key_jwt', clientId: named, proof: assertion }
  }
  if (clientId === undefined || secret === undefined) {
    throw new OAuthError('invalid_client', 'Client authentication is missing')
  }
  return { method: 'client_secret_post', clientId, proof: secret }
}

function readBasic(header: string): Pick<Credential, 'clientId' | 'proof'> {
  const [, encoded = ''] = /^basic +([A-Za-z0-9+/=]+)$/i.exec(header.trim()) ?? []
  try {
    const [id = '', ...rest] = atob(encoded).split(':')
    if (rest.length > 0) {
      return { clientId: decoded(id), proof: decoded(rest.join(':')) }
    }
  } catch {
    // Handled like any other malformed header.
  }
  throw new OAuthError('invalid_client', 'The Authorization header is malformed')
}

/** RFC 6749 section 2.3.1: both parts are form-encoded. */
function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

/** The claim of an unverified assertion may be any JSON. */
function subjectOf(assertion: string): string {
  try {
    const sub: unknown = decodeJwt(assertion).sub
    return typeof sub === 'string' ? sub : ''
  } catch {
    return ''
  }
}
