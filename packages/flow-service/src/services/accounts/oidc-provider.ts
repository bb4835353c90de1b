import { createRemoteJWKSet, customFetch, jwtVerify, type JWTPayload } from 'jose'
import { isObject, type Runtime } from '@x/wire'
import { isFlowError } from '@x/flow-engine'
import { refuse } from '@x/flow-engine/internal'

/** The client registration at an OpenID Connect provider. */
export interface OidcProviderOptions {
  /** An https or loopback URL. */
  readonly issuer: string
  readonly clientId: string
  /** For confidential clients. */
  readonly clientSecret?: string
  readonly fetch?: typeof fetch
  /** Timeout of each request to the provider, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number
  readonly runtime: Runtime
}

/** The used parts of a provider's discovery document. */
interface Discovery {
  readonly authorize: string
  readonly token: string
  readonly jwks: string
  readonly endSession: string | undefined
  /** Authorization responses contain the issuer (RFC 9207). */
  readonly namesIssuer: boolean
}

/** An OpenID Connect provider (Core 1.0, code flow). */
export interface OidcProvider {
  readonly issuer: string
  authorizeUrl(parameters: Readonly<Record<string, string>>): Promise<string>
  /**
   * Checks the `iss` parameter of the authorization response (RFC 9207).
   * @throws Refusal 400 for another issuer, or a missing one if the provider announces that it sends it
   */
  checkIssuer(issuer: string | null): Promise<void>
  /** Exchanges a code and returns the verified claims of its ID token. */
  claims(exchange: CodeExchange): Promise<JWTPayload>
  /** The provider's end-session URL; undefined if it has none. */
  endSessionUrl(): Promise<string | undefined>
}

/** The token request for an authorization code. */
export interface CodeExchange {
  readonly code: string
  readonly redirectUri: string
  /** The PKCE code verifier (RFC 7636). */
  readonly verifier: string
  readonly nonce: string
}

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA']
const TOLERANCE_SECONDS = 60

/**
 * Fetches the discovery document and keys on first use and caches them.
 * @throws TypeError for an issuer that is neither https nor loopback
 */
export function createOidcProvider(options: OidcProviderOptions): OidcProvider {
  const { issuer, clientId, clientSecret, runtime, timeoutMs = 10_000 } = options
  const send = bounded(options.fetch ?? fetch, timeoutMs)
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
    async checkIssuer(named) {
      if (named === issuer || (named === null && !(await discover()).namesIssuer)) return
      throw refuse(400, 'The response does not come from the identity provider')
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
      }).catch((error: unknown) => {
        // Beside errors of its own, jose throws TypeErrors for keys of the provider that it cannot use.
        throw isFlowError(error)
          ? error
          : refuse(400, 'The identity token is not valid', { cause: error })
      })
      // OpenID Connect Core section 3.1.3.7: a token with several audiences names its authorized party.
      const { azp } = payload
      const isShared = Array.isArray(payload.aud) && payload.aud.length > 1
      if (isShared || azp !== undefined) {
        if (azp !== clientId) throw refuse(400, 'The identity token is not for this client')
      }
      if (payload['nonce'] !== nonce)
        throw refuse(400, 'The identity token is not for this sign-in')
      return payload
    },
    endSessionUrl: async () => (await discover()).endSession,
  }
}

/** Maximum characters of a provider response. */
const LARGEST = 1024 * 1024
/** Simultaneous requests to the provider: anyone can start a sign-in and send a code. */
const SIMULTANEOUS = 100

/**
 * Responses are read completely and within the timeout, else the sign-in is refused: a provider may hang.
 * While too many requests wait for it, it is not asked.
 */
function bounded(send: typeof fetch, timeoutMs: number): typeof fetch {
  let waiting = 0
  return async (input, init) => {
    if (waiting >= SIMULTANEOUS) {
      throw refuse(503, 'Too many sign-ins wait for the identity provider', {
        headers: { 'retry-after': '1' },
      })
    }
    waiting += 1
    const late = AbortSignal.timeout(timeoutMs)
    const given = init?.signal
    const signal = given ? AbortSignal.any([given, late]) : late
    try {
      const response = await send(input, { ...init, signal })
      const { status, headers } = response
      return new Response(await readText(response), { status, headers })
    } catch (error) {
      throw refuse(503, 'The identity provider does not respond', {
        cause: error,
        headers: { 'retry-after': '5' },
      })
    } finally {
      waiting -= 1
    }
  }
}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > LARGEST) throw new RangeError('The answer is too large')
  }
  return text + decoder.decode()
}

async function readDiscovery(issuer: string, send: typeof fetch): Promise<Discovery> {
  const base = issuer.replace(/\/$/, '')
  const response = await send(`${base}/.well-known/openid-configuration`)
  const document = await readJson(response)
  if (!isObject(document) || document['issuer'] !== issuer) {
    throw refuse(400, 'The identity provider cannot be reached')
  }
  const { authorization_endpoint, token_endpoint, jwks_uri, end_session_endpoint } = document
  if (!isUrl(authorization_endpoint) || !isUrl(token_endpoint) || !isUrl(jwks_uri)) {
    throw refuse(400, 'The configuration of the identity provider has no sign-in endpoints')
  }
  return {
    authorize: authorization_endpoint,
    token: token_endpoint,
    jwks: jwks_uri,
    endSession: isUrl(end_session_endpoint) ? new URL(end_session_endpoint).href : undefined,
    namesIssuer: document['authorization_response_iss_parameter_supported'] === true,
  }
}

function isUrl(value: unknown): value is string {
  return typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value)
}

/** The JSON of a response; null for another status or another content, such as the page of a proxy. */
async function readJson(response: Response): Promise<unknown> {
  if (!response.ok) return null
  return await response.json().catch(() => null)
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
  const answer = await readJson(response)
  if (!isObject(answer) || typeof answer['id_token'] !== 'string') {
    throw refuse(400, 'The identity provider refused the sign-in')
  }
  return answer['id_token']
}

/** RFC 6749 section 2.3.1: both parts are form-encoded first. */
function basic(clientId: string, clientSecret: string): string {
  return `Basic ${btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`)}`
}
