import type { ConnectionProvider, ConnectionSettings } from '../base/connection-settings.ts'
import type { ClientFederation } from '../base/client-federation.ts'
import type { ScimScope } from '../base/principal.ts'

/** The last error response that indicates a problem with a connection's requests. */
export interface ConnectionError {
  readonly at: Date
  readonly status: number
  readonly scimType: string | null
  readonly detail: string
}

/** A customer's directory with its settings and credentials. */
export interface Connection {
  readonly id: string
  readonly tenant: string
  readonly name: string
  readonly provider: ConnectionProvider
  readonly enabled: boolean
  readonly settings: ConnectionSettings
  readonly created: Date
  /** Precise to the minute. */
  readonly lastUsedAt: Date | null
  readonly lastError: ConnectionError | null
}

export type ConnectionPatch = Partial<
  Pick<Connection, 'name' | 'enabled' | 'settings' | 'lastUsedAt' | 'lastError'>
>

/** A stored client of a connection, without its secrets. */
export interface ClientRecord {
  readonly id: string
  readonly tenant: string
  readonly connectionId: string
  /** SHA-256 of a secret without expiry, in hexadecimal digits; null: see `secrets`, or signed assertions. */
  readonly digest: string | null
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | null
  readonly federation: ClientFederation | null
  readonly scopes: readonly ScimScope[]
  readonly label: string | null
  readonly created: Date
  readonly revokedAt: Date | null
  /** Precise to the minute. */
  readonly lastUsedAt: Date | null
}

/** A stored secret of a client, as a digest. */
export interface ClientSecretRecord {
  readonly id: string
  readonly clientId: string
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string
  /** The last four characters of the secret. */
  readonly hint: string
  readonly created: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  /** Precise to the minute. */
  readonly lastUsedAt: Date | null
}

export type ClientPatch = Partial<Pick<ClientRecord, 'digest' | 'lastUsedAt' | 'revokedAt'>>
export type ClientSecretPatch = Partial<
  Pick<ClientSecretRecord, 'expiresAt' | 'revokedAt' | 'lastUsedAt'>
>

/** Connections of all tenants and their clients. */
export interface ConnectionStore {
  /** False if the tenant already has `limit` connections. */
  insert(record: Connection, limit: number): Promise<boolean>
  get(tenant: string, id: string): Promise<Connection | null>
  /** A connection of any tenant. */
  byId(id: string): Promise<Connection | null>
  /** By created, then id. */
  list(tenant: string): Promise<Connection[]>
  /** Optional: the connections of all tenants, by id; `after` is the id of the previous page's last one. */
  page?(options: { readonly after?: string; readonly limit: number }): Promise<Connection[]>
  /** An earlier error than the stored one is not written. False if it does not exist. */
  update(tenant: string, id: string, patch: ConnectionPatch): Promise<boolean>
  /** Also removes its clients and their secrets. `at`: for `removed`. False if it did not exist. */
  remove(tenant: string, id: string, at?: Date): Promise<boolean>
  /** Optional: the last connections of a tenant that were removed, at most 1,000. */
  removed?(tenant: string): Promise<{ id: string; at: Date }[]>
  insertClient(record: ClientRecord): Promise<void>
  client(id: string): Promise<ClientRecord | null>
  /** The clients of a connection by created, then id. */
  clients(connectionId: string): Promise<ClientRecord[]>
  /** Optional: returns whether any connection has a client. */
  hasClients?(): Promise<boolean>
  /** False if it does not exist. */
  updateClient(id: string, patch: ClientPatch): Promise<boolean>
  insertSecret(record: ClientSecretRecord): Promise<void>
  /** The secrets of a client by created, then id. */
  secrets(clientId: string): Promise<ClientSecretRecord[]>
  /** False if it does not exist. */
  updateSecret(id: string, patch: ClientSecretPatch): Promise<boolean>
}
