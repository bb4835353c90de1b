import type { ConnectionProvider, ConnectionSettings } from '../base/connection-settings.ts'
import type { ScimAnswered, ScimPrincipal, ScimScope } from '../base/principal.ts'

/** A client of the token endpoint. */
export interface OAuthClient {
  readonly id: string
  readonly tenant: string
  /** SHA-256 of its secret in hexadecimal digits; null if it uses signed assertions. */
  readonly digest: string | null
  /** Public keys of its assertions. */
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | null
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
}
