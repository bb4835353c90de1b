import type * as oauth from 'oauth4webapi'
import { isFlowError } from '@x/flow-engine'
import { refuse } from '../../refusal.ts'
import { createSystemRuntime, isObject, type Runtime } from '@x/wire'

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

/** An OpenID Connect provider (Core 1.0, code flow). */
export interface OidcProvider {
  authorizeUrl(parameters: SignInParameters): Promise<string>
  /**
   * Exchanges the code of an authorization response and returns the verified claims of its ID token.
   * @throws Refusal 400 for a response or a token that is not the provider's, or not for this sign-in
   */
  claims(response: URLSearchParams, parameters: SignInParameters): Promise<oauth.IDToken>
  /** The provider's end-session URL; undefined if it has none. */
  endSessionUrl(): Promise<string | undefined>
}

/** One sign-in, from its first step to its last. */
export interface SignInParameters {
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  /** The PKCE code verifier (RFC 7636). */
  readonly verifier: string
}

interface Discovery extends oauth.AuthorizationServer {
  readonly authorization_endpoint: string
}

/** For providers that do not say which algorithms they sign with. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA']
const TOLERANCE_SECONDS = 60
/** The clock that the library reads. */
const system = createSystemRuntime()

/**
 * Fetches the discovery document and keys on first use and caches them.
 * @throws TypeError for an issuer that is neither https nor loopback
 */
export function createOidcProvider(options: OidcProviderOptions): OidcProvider {
  const { clientId, clientSecret, runtime, timeoutMs = 10_000 } = options
  const issuer = new URL(options.issuer)
  const isPlain = issuer.protocol !== 'https:'
  if (isPlain && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(issuer.hostname))
    throw new TypeError('The issuer must be https or loopback')
  const send = bounded(options.fetch ?? fetch, timeoutMs)
  let discovered: Promise<Discovery> | undefined

  async function open() {
    const library = await import('oauth4webapi')
    const http = { [library.customFetch]: send, [library.allowInsecureRequests]: isPlain }
    discovered ??= readDiscovery(library, issuer, http).catch((error: unknown) => {
      discovered = undefined
      throw error
    })
    return { library, http, server: await discovered }
  }

  return {
    async authorizeUrl({ redirectUri, state, nonce, verifier }) {
      const { library, server } = await open()
      const url = new URL(server.authorization_endpoint)
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        scope: 'openid email profile',
        redirect_uri: redirectUri,
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url.href
    },
    async claims(query, { redirectUri, state, nonce, verifier }) {
      const { library, http, server } = await open()
      const client: oauth.Client = {
        client_id: clientId,
        [library.clockSkew]: (runtime.now().getTime() - system.now().getTime()) / 1000,
        [library.clockTolerance]: TOLERANCE_SECONDS,
      }
      const secret =
        clientSecret === undefined ? library.None() : library.ClientSecretBasic(clientSecret)
      let text = 'The response does not come from the identity provider'
      try {
        const code = library.validateAuthResponse(server, client, query, state)
        text = 'The identity provider refused the sign-in'
        const response = await library.authorizationCodeGrantRequest(
          server,
          client,
          secret,
          code,
          redirectUri,
          verifier,
          http,
        )
        const expected = { expectedNonce: nonce, requireIdToken: true }
        const tokens = await library.processAuthorizationCodeResponse(
          server,
          client,
          response,
          expected,
        )
        text = 'The identity token is not valid'
        await library.validateApplicationLevelSignature(server, response, http)
        const claims = library.getValidatedIdTokenClaims(tokens)
        // A token for one audience may name another party that may use it.
        if (claims !== undefined && (claims.azp ?? clientId) === clientId) return claims
        text = 'The identity token is not for this client'
      } catch (error) {
        if (isFlowError(error)) throw error
        if (error instanceof library.AuthorizationResponseError)
          text = 'The identity provider refused the sign-in'
        else if (claimIn(error) !== undefined)
          text = `The identity token is not ${CLAIMS[claimIn(error) ?? ''] ?? 'valid'}`
      }
      // The library's errors contain the token, so that they are no cause of a refusal that may be logged.
      throw refuse(400, text)
    },
    async endSessionUrl() {
      const { end_session_endpoint: url } = (await open()).server
      return isUrl(url) ? new URL(url).href : undefined
    },
  }
}

/** What a token is not, by the claim that tells. */
const CLAIMS: Readonly<Record<string, string>> = {
  aud: 'for this client',
  azp: 'for this client',
  nonce: 'for this sign-in',
}

function claimIn(error: unknown): string | undefined {
  const cause: unknown = error instanceof Error ? error.cause : undefined
  return isObject(cause) && typeof cause['claim'] === 'string' ? cause['claim'] : undefined
}

/** Maximum characters of a provider response. */
const LARGEST = 1024 * 1024
/** Simultaneous requests to the provider: anyone can start a sign-in and send a code. */
const SIMULTANEOUS = 100

/**
 * Responses are read completely and within the timeout, else the sign-in is refused: a provider may hang.
 * While too many requests wait for it, it is not asked.
 */
function bounded(send: typeof fetch, timeoutMs: number) {
  let waiting = 0
  return async (
    url: string,
    { body, ...init }: oauth.CustomFetchOptions<string, URLSearchParams | undefined>,
  ): Promise<Response> => {
    if (waiting >= SIMULTANEOUS) {
      throw refuse(503, 'Too many sign-ins wait for the identity provider', {
        headers: { 'retry-after': '1' },
      })
    }
    waiting += 1
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      const response = await send(url, { ...init, ...(body && { body }), signal })
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

async function readDiscovery(
  library: typeof oauth,
  issuer: URL,
  http: oauth.HttpRequestOptions<'GET'>,
): Promise<Discovery> {
  const response = await library.discoveryRequest(issuer, http)
  const server = await library
    .processDiscoveryResponse(issuer, response)
    .catch(() => Promise.reject(refuse(400, 'The identity provider cannot be reached')))
  const { authorization_endpoint, token_endpoint, jwks_uri } = server
  if (!isUrl(authorization_endpoint) || !isUrl(token_endpoint) || !isUrl(jwks_uri))
    throw refuse(400, 'The configuration of the identity provider has no sign-in endpoints')
  return {
    ...server,
    authorization_endpoint,
    id_token_signing_alg_values_supported:
      server.id_token_signing_alg_values_supported ?? ALGORITHMS,
  }
}

function isUrl(value: unknown): value is string {
  return typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value)
}
