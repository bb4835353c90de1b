import type { ConnectionProvider, ConnectionSettings } from '../base/connection-settings.ts'
import type { ScimScope } from '../base/principal.ts'

/** The last answer to a connection that says that something is wrong with its requests. */
export interface ConnectionError {
  readonly at: Date
  readonly status: number
  readonly scimType: string | null
  readonly detail: string
}

/** One customer's directory, with its settings and credentials. */
export interface Connection {
  readonly id: string
  readonly tenant: string
  readonly name: string
  readonly provider: ConnectionProvider
  readonly enabled: boolean
  readonly settings: ConnectionSettings
  readonly created: Date
  /** To the minute. */
  readonly lastUsedAt: Date | null
  readonly lastError: ConnectionError | null
}

export type ConnectionPatch = Partial<
  Pick<Connection, 'name' | 'enabled' | 'settings' | 'lastUsedAt' | 'lastError'>
>

/** A client of a connection as it is stored: never its secret. */
export interface ClientRecord {
  readonly id: string
  readonly tenant: string
  readonly connectionId: string
  /** SHA-256 of its secret in hexadecimal digits; null: it signs assertions. */
  readonly digest: string | null
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | null
  readonly scopes: readonly ScimScope[]
  readonly created: Date
  readonly revokedAt: Date | null
}

/** Connections of all tenants and their clients. */
export interface ConnectionStore {
  /** False: the tenant has `limit` connections already. */
  insert(record: Connection, limit: number): Promise<boolean>
  get(tenant: string, id: string): Promise<Connection | null>
  /** The connection of any tenant. */
  byId(id: string): Promise<Connection | null>
  /** By created, then id. */
  list(tenant: string): Promise<Connection[]>
  /** False: there is none. */
  update(tenant: string, id: string, patch: ConnectionPatch): Promise<boolean>
  /** With its clients. False: there was none. */
  remove(tenant: string, id: string): Promise<boolean>
  insertClient(record: ClientRecord): Promise<void>
  client(id: string): Promise<ClientRecord | null>
  /** False: there is none. */
  revokeClient(id: string, at: Date): Promise<boolean>
}
