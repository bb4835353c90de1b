import type { Metrics, Runtime } from '@x/wire'
import type { ConnectionProvider, ConnectionSettings } from '../base/connection-settings.ts'
import type { ScimScope } from '../base/principal.ts'
import type { ScimAuth } from '../options/auth.ts'
import type { EventSource } from '../options/events.ts'
import type { IssuedToken, RotateOptions, TokenInfo } from '../rules/tokens.ts'
import type { ClientStore } from '../store/clients.ts'
import type { Connection, ConnectionStore } from '../store/connections.ts'
import type { TokenStore } from '../store/tokens.ts'
import type { AlarmMemory } from './alarm-memory.ts'
import type { WatchedSource } from './alarms.ts'
import type {
  ClientInfo,
  IssueClientOptions,
  IssuedClientSecret,
  RotateSecretOptions,
} from './clients.ts'
import type { ConnectionEvents } from './connection-events.ts'

export interface ScimConnectionsOptions {
  readonly store: ConnectionStore
  readonly tokens: TokenStore
  readonly runtime?: Runtime
  readonly onError?: (error: unknown) => void
  /** What all processes of a database share, so that each alarm is told once. Default: this process only. */
  readonly alarms?: AlarmMemory
  /** Gives `alarms` a row of the outbox for each alarm, so that webhooks tell of it too. Default false. */
  readonly outbox?: boolean
  /** Times of requests and credentials, while `watch` runs. */
  readonly metrics?: Metrics
}

/** Manages the connection of each customer: its settings, tokens and clients (section 8). */
export interface ScimConnections {
  /**
   * The token is only returned here.
   * @throws TypeError for an invalid name, provider or setting; ScimError conflict above 50 connections
   */
  create(input: {
    readonly tenant: string
    readonly name: string
    readonly provider: ConnectionProvider
    readonly settings?: ConnectionSettings
    readonly expiresAt?: Date
    readonly scopes?: readonly ScimScope[]
  }): Promise<{ connection: Connection; token: string; tokenId: string }>
  get(tenant: string, id: string): Promise<Connection | null>
  list(tenant: string): Promise<Connection[]>
  /** @throws ScimError not_found; TypeError as `create` */
  update(
    tenant: string,
    id: string,
    patch: {
      readonly name?: string
      readonly enabled?: boolean
      readonly settings?: ConnectionSettings
    },
  ): Promise<Connection>
  /** Its tokens and clients are revoked immediately. @throws ScimError not_found */
  remove(tenant: string, id: string): Promise<void>
  /** @throws ScimError not_found; conflict above 10 live tokens */
  issueToken(
    tenant: string,
    id: string,
    options?: {
      readonly expiresAt?: Date
      readonly label?: string
      readonly scopes?: readonly ScimScope[]
    },
  ): Promise<IssuedToken>
  /** @throws ScimError not_found; conflict for an expired or revoked token, and above 10 live tokens */
  rotateToken(
    tenant: string,
    id: string,
    tokenId: string,
    options?: RotateOptions,
  ): Promise<IssuedToken>
  /** @throws ScimError not_found */
  revokeToken(tenant: string, id: string, tokenId: string): Promise<void>
  /** @throws ScimError not_found */
  listTokens(tenant: string, id: string): Promise<TokenInfo[]>
  /**
   * A client of the token endpoint. With `jwks` or `federation` it authenticates with signed assertions, and
   * `clientSecret`, `secretId` and `expiresAt` are null. The secret is only returned here.
   * @throws ScimError not_found; conflict above 50 clients; TypeError for a wrong option
   */
  issueClient(
    tenant: string,
    id: string,
    options?: IssueClientOptions,
  ): Promise<{
    readonly clientId: string
    readonly clientSecret: string | null
    readonly secretId: string | null
    readonly expiresAt: Date | null
  }>
  /** A further secret. @throws ScimError not_found; conflict above 5 live secrets; TypeError as `issueClient` */
  issueClientSecret(
    tenant: string,
    id: string,
    clientId: string,
    options?: { readonly expiresAt?: Date },
  ): Promise<IssuedClientSecret>
  /**
   * A new secret, and an end of the old one after an overlap.
   * @throws ScimError not_found; conflict for an expired or revoked secret, and above 5 live secrets
   */
  rotateClientSecret(
    tenant: string,
    id: string,
    clientId: string,
    secretId: string,
    options?: RotateSecretOptions,
  ): Promise<IssuedClientSecret>
  /** Its access tokens end at once. @throws ScimError not_found */
  revokeClientSecret(tenant: string, id: string, clientId: string, secretId: string): Promise<void>
  /** The clients that are not revoked, with the facts of their secrets. @throws ScimError not_found */
  listClients(tenant: string, id: string): Promise<ClientInfo[]>
  /** When the last 1,000 connections that are gone were removed. */
  removed(tenant: string): Promise<readonly { readonly id: string; readonly at: Date }[]>
  /** @throws ScimError not_found */
  revokeClient(tenant: string, id: string, clientId: string): Promise<void>
  /** Alarms of `watch`, and of credentials that are refused again and again. */
  readonly events: EventSource<ConnectionEvents>
  /**
   * Looks for silent connections and credentials that end, until the signal is aborted. `others`: credentials of
   * the host's own settings. `everyMs`: default 60,000.
   */
  watch(options: {
    readonly signal: AbortSignal
    readonly everyMs?: number
    readonly others?: () => Promise<readonly WatchedSource[]>
  }): Promise<void>
  /** For `createTokenEndpoint`. */
  readonly clients: ClientStore
  /** Accepts the tokens of connections. */
  auth(): ScimAuth
}
