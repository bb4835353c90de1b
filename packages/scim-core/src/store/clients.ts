import type { ConnectionProvider, ConnectionSettings } from '../base/connection-settings.ts'
import type { ClientFederation } from '../base/client-federation.ts'
import type { ScimAnswered, ScimPrincipal, ScimScope } from '../base/principal.ts'

/** One secret of a client, as a digest. Two valid ones at once replace each other without interruption. */
export interface ClientSecret {
  /** Named by the access tokens that it obtained. */
  readonly id: string
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string
  readonly notBefore?: Date | null
  /** null: never. */
  readonly expiresAt: Date | null
  /** Its access tokens end at once. */
  readonly revokedAt?: Date | null
}

/** A client of the token endpoint. */
export interface OAuthClient {
  readonly id: string
  readonly tenant: string
  /** SHA-256 of its secret in hexadecimal digits; null if it uses `secrets` or signed assertions. */
  readonly digest: string | null
  /** Secrets that expire. Default: none. */
  readonly secrets?: readonly ClientSecret[]
  /** Public keys of its assertions. */
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | null
  /** The issuer whose assertions it may use instead of a secret. Default: none. */
  readonly federation?: ClientFederation | null
  readonly scopes: readonly ScimScope[]
  readonly connectionId: string | null
  readonly settings?: ConnectionSettings
  readonly provider?: ConnectionProvider
}

/** The clients known to a token endpoint. */
export interface ClientStore {
  /** null if it does not exist, was revoked, or its connection is disabled. */
  find(clientId: string): Promise<OAuthClient | null>
  /** Called with each response to one of its clients; must not throw. */
  readonly answered?: (principal: ScimPrincipal, answer: ScimAnswered) => void
  /** Called when an expired secret of a client is refused; must not throw. */
  readonly refused?: (client: OAuthClient) => void
  /** Called when a client has obtained a token, with the id of the secret used; must not throw. */
  readonly used?: (client: OAuthClient, secretId: string | null) => void
}
