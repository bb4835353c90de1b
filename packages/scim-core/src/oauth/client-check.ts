import { constantTimeEqual, elapsedMs, type Runtime } from '@x/wire'
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { sha256Hex } from '../base/digest.ts'
import type { JSONWebKeySet } from '../base/signing-key.ts'
import type { ClientStore, OAuthClient } from '../store/clients.ts'
import { remember } from './attempts.ts'
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
/** Characters of a client id or `jti`; both are remembered. */
const MAX_ID_LENGTH = 512

/**
 * Authenticates the client of a token request (SH-48).
 * @throws OAuthError invalid_client, invalid_request, or too_many_requests after 10 failures in a minute
 */
export function createClientCheck({
  store,
  methods,
  runtime,
  audiences,
}: {
  readonly store: ClientStore
  readonly methods: readonly ClientMethod[]
  readonly runtime: Runtime
  readonly audiences: readonly string[]
}): (request: Request, form: ReadonlyMap<string, string>) => Promise<OAuthClient> {
  const failures = new Map<string, { since: number; count: number }>()
  /** `jti` of assertions until they expire, so that none is accepted twice by this process. */
  const used = new Map<string, number>()

  const failed = (clientId: string): OAuthError => {
    const now = runtime.now().getTime()
    const known = failures.get(clientId)
    if (known === undefined || elapsedMs(known.since, now) >= WINDOW_MS) {
      remember(failures, clientId, { since: now, count: 1 }, MAX_REMEMBERED)
    } else known.count += 1
    return unknownClient()
  }

  const assertCalm = (clientId: string): void => {
    const known = failures.get(clientId)
    if (known === undefined || known.count < FAILURES) return
    const rest = WINDOW_MS - elapsedMs(known.since, runtime.now().getTime())
    if (rest <= 0) return
    const headers = { 'retry-after': String(Math.ceil(rest / 1_000)) }
    throw new OAuthError('too_many_requests', 'Too many failures of this client', headers)
  }

  const isAssertion = async (client: OAuthClient, proof: string): Promise<boolean> => {
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
      if (jti.length > MAX_ID_LENGTH) return false
      const seconds = now.getTime() / 1_000
      for (const [id, end] of used) if (end <= seconds) used.delete(id)
      const name = `${client.id}\n${jti}`
      if (exp > seconds + ASSERTION_SECONDS || used.has(name)) return false
      remember(used, name, exp, MAX_REMEMBERED)
      return true
    } catch {
      return false
    }
  }

  return async (request, form) => {
    const { method, clientId, proof } = credentialOf(request, form)
    if (clientId.length > MAX_ID_LENGTH) throw unknownClient()
    assertCalm(clientId)
    const client = methods.includes(method) ? await store.find(clientId) : null
    if (client === null) throw failed(clientId)
    const isRight =
      method === 'private_key_jwt' ? await isAssertion(client, proof) : isSecret(client, proof)
    if (!isRight) throw failed(clientId)
    return client
  }
}

function unknownClient(): OAuthError {
  return new OAuthError('invalid_client', 'The client is unknown, or its credential is wrong')
}

function isSecret({ digest }: OAuthClient, secret: string): boolean {
  const encoder = new TextEncoder()
  const given = encoder.encode(sha256Hex(secret))
  return digest !== null && constantTimeEqual(given, encoder.encode(digest))
}

/** @throws OAuthError */
function credentialOf(request: Request, form: ReadonlyMap<string, string>): Credential {
  const header = request.headers.get('authorization')
  const secret = form.get('client_secret')
  const assertion = form.get('client_assertion')
  const given = [header, secret, assertion].filter((one) => one !== null && one !== undefined)
  if (given.length > 1) throw new OAuthError('invalid_request', 'Use one way to authenticate')
  if (header !== null) return { method: 'client_secret_basic', ...readBasic(header) }
  if (assertion !== undefined) {
    if (form.get('client_assertion_type') !== ASSERTION_TYPE) {
      throw new OAuthError('invalid_request', 'client_assertion_type is not that of a JWT')
    }
    return { method: 'private_key_jwt', clientId: subjectOf(assertion), proof: assertion }
  }
  const clientId = form.get('client_id')
  if (clientId === undefined || secret === undefined) {
    throw new OAuthError('invalid_client', 'The client does not identify itself')
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
  throw new OAuthError('invalid_client', 'The authorization header cannot be read')
}

/** RFC 6749 section 2.3.1: both parts are form-encoded. */
function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

function subjectOf(assertion: string): string {
  try {
    return decodeJwt(assertion).sub ?? ''
  } catch {
    return ''
  }
}
