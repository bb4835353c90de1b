import { createRemoteJWKSet, customFetch, jwtVerify, type JWTPayload } from 'jose'
import type { Runtime } from '@x/wire'
import { isObject } from '../wire/scalars.ts'
import { refuse } from './refusal.ts'

/** The client of an OpenID Connect provider. */
export interface OidcProviderOptions {
  /** https, or a loopback address. */
  readonly issuer: string
  readonly clientId: string
  /** For confidential clients. */
  readonly clientSecret?: string
  readonly fetch?: typeof fetch
  readonly runtime: Runtime
}

/** What a provider says where things are; read from its discovery document. */
interface Discovery {
  readonly authorize: string
  readonly token: string
  readonly jwks: string
  readonly endSession: string | undefined
}

/** One provider (OpenID Connect Core 1.0, code flow). */
export interface OidcProvider {
  readonly issuer: string
  authorizeUrl(parameters: Readonly<Record<string, string>>): Promise<string>
  /** The verified claims of the ID token that a code gives. */
  claims(exchange: CodeExchange): Promise<JWTPayload>
  /** Where the provider ends its session; undefined when it does not say. */
  endSessionUrl(): Promise<string | undefined>
}

/** What is sent for a code. */
export interface CodeExchange {
  readonly code: string
  readonly redirectUri: string
  /** Of PKCE (RFC 7636). */
  readonly verifier: string
  readonly nonce: string
}

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA']
const TOLERANCE_SECONDS = 60

/**
 * Discovery document and keys are fetched when first needed, and kept (SU-20).
 * @throws TypeError for an issuer that is neither https nor loopback
 */
export function createOidcProvider(options: OidcProviderOptions): OidcProvider {
  const { issuer, clientId, clientSecret, runtime, fetch: send = fetch } = options
  const { protocol, hostname } = new URL(issuer)
  if (protocol !== 'https:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)) {
    throw new TypeError('The issuer must be https or loopback')
  }
  let discovered: Promise<Discovery> | undefined
  const discover = (): Promise<Discovery> =>
    (discovered ??= readDiscovery(issuer, send).catch((error: unknown) => {
      discovered = undefined
      throw error
    }))
  let keys: ReturnType<typeof createRemoteJWKSet> | undefined

  return {
    issuer,
    async authorizeUrl(parameters) {
      const url = new URL((await discover()).authorize)
      const fixed = { response_type: 'code', client_id: clientId, scope: 'openid email profile' }
      for (const [name, value] of Object.entries({ ...fixed, ...parameters })) {
        url.searchParams.set(name, value)
      }
      return url.href
    },
    async claims({ code, redirectUri, verifier, nonce }) {
      const { token, jwks } = await discover()
      const form = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        client_id: clientId,
        code_verifier: verifier,
      })
      const idToken = await exchange(send, token, form, { clientId, clientSecret })
      keys ??= createRemoteJWKSet(new URL(jwks), { [customFetch]: send })
      const { payload } = await jwtVerify(idToken, keys, {
        issuer,
        audience: clientId,
        algorithms: ALGORITHMS,
        clockTolerance: TOLERANCE_SECONDS,
        currentDate: runtime.now(),
        requiredClaims: ['sub', 'exp', 'iat'],
      })
      if (payload['nonce'] !== nonce)
        throw refuse(400, 'The identity token is not for this sign-in')
      return payload
    },
    endSessionUrl: async () => (await discover()).endSession,
  }
}

async function readDiscovery(issuer: string, send: typeof fetch): Promise<Discovery> {
  const base = issuer.replace(/\/$/, '')
  const response = await send(`${base}/.well-known/openid-configuration`)
  const document: unknown = response.ok ? await response.json() : null
  if (!isObject(document) || document['issuer'] !== issuer) {
    throw refuse(400, 'The identity provider cannot be reached')
  }
  const { authorization_endpoint, token_endpoint, jwks_uri, end_session_endpoint } = document
  if (
    typeof authorization_endpoint !== 'string' ||
    typeof token_endpoint !== 'string' ||
    typeof jwks_uri !== 'string'
  ) {
    throw refuse(400, 'The identity provider describes no sign-in')
  }
  return {
    authorize: authorization_endpoint,
    token: token_endpoint,
    jwks: jwks_uri,
    endSession: typeof end_session_endpoint === 'string' ? end_session_endpoint : undefined,
  }
}

async function exchange(
  send: typeof fetch,
  url: string,
  form: URLSearchParams,
  { clientId, clientSecret }: { clientId: string; clientSecret: string | undefined },
): Promise<string> {
  const secret = clientSecret === undefined ? undefined : basic(clientId, clientSecret)
  const response = await send(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...(secret === undefined ? {} : { authorization: secret }),
    },
    body: form.toString(),
    redirect: 'error',
  })
  const answer: unknown = response.ok ? await response.json() : null
  if (!isObject(answer) || typeof answer['id_token'] !== 'string') {
    throw refuse(400, 'The identity provider refused the sign-in')
  }
  return answer['id_token']
}

/** RFC 6749 section 2.3.1: both parts are form-encoded first. */
function basic(clientId: string, clientSecret: string): string {
  return `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`
}
