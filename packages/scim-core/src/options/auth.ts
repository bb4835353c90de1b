import type {
  ScimAnswered,
  ScimAuthProblem,
  ScimContext,
  ScimPrincipal,
} from '../base/principal.ts'

type Awaitable<T> = T | Promise<T>

/** One of `authenticationSchemes` in ServiceProviderConfig (RFC 7643 section 5). */
export interface AuthenticationScheme {
  readonly type: string
  readonly name: string
  readonly description?: string
  readonly specUri?: string
  readonly documentationUri?: string
  readonly primary?: boolean
}

/** An authentication method. */
export type ScimAuth =
  /** One static bearer token. */
  | { readonly kind: 'token'; readonly token: string }
  /** Tokens with rotation, expiry and scopes. */
  | {
      readonly kind: 'tokens'
      readonly service: {
        readonly authenticate: (token: string) => Promise<ScimPrincipal | null>
        /** The same, with the reason a known token is refused. */
        readonly check?: (token: string) => Promise<ScimPrincipal | ScimAuthProblem | null>
      }
    }
  /** Any other bearer token. Return null if another method may know it. */
  | {
      readonly kind: 'bearer'
      /** The scheme shown in ServiceProviderConfig. */
      readonly scheme?: AuthenticationScheme
      readonly authenticate: (
        token: string,
        request: Request,
        context: ScimContext,
      ) => Awaitable<ScimPrincipal | ScimAuthProblem | null>
      /** Says whose an `Authorization` header without a bearer token is, for the log; it is refused. */
      readonly misplaced?: (authorization: string) => Awaitable<ScimAuthProblem | null>
      /** Called with each response to a caller it has authenticated; must not throw. */
      readonly answered?: (principal: ScimPrincipal, answer: ScimAnswered) => void
    }
  /** The host authenticates requests. */
  | {
      readonly kind: 'host'
      readonly scheme?: AuthenticationScheme
      readonly authenticate: (
        request: Request,
        context: ScimContext,
      ) => Awaitable<ScimPrincipal | null | Response>
    }

const BEARER: AuthenticationScheme = {
  type: 'oauthbearertoken',
  name: 'Bearer token',
  description: 'Static bearer token in the Authorization header',
  specUri: 'https://www.rfc-editor.org/info/rfc6750',
}

/** The scheme of access tokens issued for client credentials. */
export const CLIENT_CREDENTIALS: AuthenticationScheme = {
  type: 'oauth2',
  name: 'OAuth 2.0 client credentials',
  specUri: 'https://www.rfc-editor.org/info/rfc6749',
}

/** The schemes shown in ServiceProviderConfig; the first is the primary one. */
export function schemesOf(auth: ScimAuth | readonly ScimAuth[]): readonly AuthenticationScheme[] {
  const schemes = authMethodsOf(auth).flatMap((method) => {
    if (method.kind === 'token' || method.kind === 'tokens') return [BEARER]
    return method.scheme === undefined ? [] : [method.scheme]
  })
  const distinct = schemes.filter(
    ({ type, name }, index) =>
      schemes.findIndex((other) => other.type === type && other.name === name) === index,
  )
  return distinct.map((scheme, index) =>
    index === 0 && scheme === BEARER ? { ...scheme, primary: true } : scheme,
  )
}

/** Normalises an option that accepts one method or several. */
export function authMethodsOf(auth: ScimAuth | readonly ScimAuth[]): readonly ScimAuth[] {
  return isList(auth) ? auth : [auth]
}

function isList(auth: ScimAuth | readonly ScimAuth[]): auth is readonly ScimAuth[] {
  return Array.isArray(auth)
}
