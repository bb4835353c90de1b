import { createEvents, createSystemRuntime, type Metrics, type Runtime } from '@x/wire'
import type { EventSource } from '../options/events.ts'
import {
  PROVIDER_PRESETS,
  readConnectionSettings,
  withPreset,
  type ConnectionSettings,
} from '../base/connection-settings.ts'
import { ScimError } from '../base/errors.ts'
import {
  ALL_SCOPES,
  type ScimAnswered,
  type ScimPrincipal,
  type ScimScope,
} from '../base/principal.ts'
import type { ScimAuth } from '../options/auth.ts'
import {
  createScimTokens,
  type IssuedToken,
  type RotateOptions,
  type TokenInfo,
} from '../rules/tokens.ts'
import type { ClientStore } from '../store/clients.ts'
import type { ConnectionProvider } from '../base/connection-settings.ts'
import type { ClientRecord, Connection, ConnectionStore } from '../store/connections.ts'
import type { TokenStore } from '../store/tokens.ts'
import {
  createConnectionClients,
  secretsOf,
  type ClientInfo,
  type IssueClientOptions,
  type IssuedClientSecret,
  type RotateSecretOptions,
} from './clients.ts'
import { createAlarmMemory, createAlarms, type AlarmMemory, type WatchedSource } from './alarms.ts'
import { CONNECTION_EVENTS, type ConnectionEvents } from './connection-events.ts'
import { createConnectionLog } from './connection-log.ts'
import { createRefusals } from './refusals.ts'
import { watchConnections } from './watch-connections.ts'

export interface ScimConnectionsOptions {
  readonly store: ConnectionStore
  readonly tokens: TokenStore
  readonly runtime?: Runtime
  readonly onError?: (error: unknown) => void
  /** What all processes of a database share, so that each alarm is told once. Default: this process only. */
  readonly alarms?: AlarmMemory
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

const MINUTE_MS = 60_000
const MAX_CONNECTIONS = 50
const MAX_TOKENS = 10
const BEARER = { type: 'oauthbearertoken', name: 'Bearer token' } as const

export function createScimConnections({
  store,
  tokens: tokenStore,
  runtime = createSystemRuntime(),
  onError = () => undefined,
  alarms: memory = createAlarmMemory(),
  metrics,
}: ScimConnectionsOptions): ScimConnections {
  const { source: events, emit } = createEvents<ConnectionEvents>(CONNECTION_EVENTS, onError)
  const refusals = createRefusals({
    memory,
    byId: (id) => store.byId(id),
    onError,
    tell: ({ tenant, id, provider }, count) =>
      emit('connection.refused', {
        at: runtime.now().toISOString(),
        tenant,
        connectionId: id,
        provider,
        refusals: count,
      }),
  })
  const tokens = createScimTokens({ store: tokenStore, runtime, onError })
  const log = createConnectionLog({ store, runtime, onError })
  const clients = createConnectionClients({ store, runtime, onError })

  const existing = async (tenant: string, id: string): Promise<Connection> => {
    const connection = await store.get(tenant, id)
    if (connection === null) throw new ScimError('not_found', 'The connection does not exist.')
    return connection
  }
  const tokensOf = async (tenant: string, id: string): Promise<TokenInfo[]> =>
    (await tokens.list(tenant)).filter(({ connectionId }) => connectionId === id)
  const assertRoom = async (tenant: string, id: string): Promise<void> => {
    const now = runtime.now()
    const live = (await tokensOf(tenant, id)).filter(
      ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > now),
    )
    if (live.length < MAX_TOKENS) return
    throw new ScimError('conflict', `A connection may have ${MAX_TOKENS} live tokens.`)
  }
  const ownToken = async (tenant: string, id: string, tokenId: string): Promise<void> => {
    await existing(tenant, id)
    const own = await tokensOf(tenant, id)
    if (own.some((token) => token.id === tokenId)) return
    throw new ScimError('not_found', 'The token does not exist.')
  }
  const ownClient = async (tenant: string, id: string, clientId: string): Promise<ClientRecord> => {
    await existing(tenant, id)
    const client = await store.client(clientId)
    if (client?.connectionId === id && client.tenant === tenant) return client
    throw new ScimError('not_found', 'The client does not exist.')
  }
  const liveClient: typeof ownClient = async (tenant, id, clientId) => {
    const client = await ownClient(tenant, id, clientId)
    if (client.revokedAt === null) return client
    throw new ScimError('not_found', 'The client does not exist.')
  }
  const recordAnswer = (principal: ScimPrincipal, answer: ScimAnswered): void =>
    log.answered(principal, answer)

  /** The connection of a credential, if it may be used. */
  const usable = async (tenant: string, id: string | null): Promise<Connection | null> => {
    const connection = id === null ? null : await store.byId(id)
    if (connection?.tenant !== tenant || !connection.enabled) return null
    log.used(connection)
    refusals.accepted(connection.id)
    return connection
  }

  return {
    async create({ tenant, name, provider, settings = {}, expiresAt, scopes = ALL_SCOPES }) {
      const connection: Connection = {
        id: runtime.uuid(),
        tenant,
        name: readName(name),
        provider: readProvider(provider),
        enabled: true,
        settings: withPreset(provider, readConnectionSettings(settings)),
        created: runtime.now(),
        lastUsedAt: null,
        lastError: null,
      }
      if (!(await store.insert(connection, MAX_CONNECTIONS))) {
        throw new ScimError('conflict', `A tenant may have ${MAX_CONNECTIONS} connections.`)
      }
      const { id: tokenId, token } = await tokens.issue({
        tenant,
        scopes,
        connectionId: connection.id,
        ...(expiresAt !== undefined && { expiresAt }),
      })
      return { connection, token, tokenId }
    },
    get: (tenant, id) => store.get(tenant, id),
    list: (tenant) => store.list(tenant),
    async update(tenant, id, { name, enabled, settings }) {
      await existing(tenant, id)
      if (enabled !== undefined && typeof enabled !== 'boolean') {
        throw new TypeError('enabled must be a boolean')
      }
      await store.update(tenant, id, {
        ...(name !== undefined && { name: readName(name) }),
        ...(enabled !== undefined && { enabled }),
        ...(settings !== undefined && { settings: readConnectionSettings(settings) }),
      })
      return existing(tenant, id)
    },
    async remove(tenant, id) {
      await existing(tenant, id)
      await store.remove(tenant, id, runtime.now())
      for (const token of await tokensOf(tenant, id)) await tokens.revoke(tenant, token.id)
    },
    async issueToken(tenant, id, { expiresAt, label, scopes = ALL_SCOPES } = {}) {
      await existing(tenant, id)
      await assertRoom(tenant, id)
      return tokens.issue({
        tenant,
        scopes,
        connectionId: id,
        ...(expiresAt !== undefined && { expiresAt }),
        ...(label !== undefined && { label }),
      })
    },
    async rotateToken(tenant, id, tokenId, options) {
      await ownToken(tenant, id, tokenId)
      await assertRoom(tenant, id)
      return tokens.rotate(tenant, tokenId, options)
    },
    async revokeToken(tenant, id, tokenId) {
      await ownToken(tenant, id, tokenId)
      await tokens.revoke(tenant, tokenId)
    },
    async listTokens(tenant, id) {
      await existing(tenant, id)
      return tokensOf(tenant, id)
    },
    removed: async (tenant) => (await store.removed?.(tenant)) ?? [],
    async issueClient(tenant, id, options) {
      await existing(tenant, id)
      return clients.issue(tenant, id, options)
    },
    issueClientSecret: async (tenant, id, clientId, { expiresAt } = {}) =>
      clients.issueSecret(await liveClient(tenant, id, clientId), expiresAt),
    rotateClientSecret: async (tenant, id, clientId, secretId, options) =>
      clients.rotateSecret(await liveClient(tenant, id, clientId), secretId, options),
    revokeClientSecret: async (tenant, id, clientId, secretId) =>
      clients.revokeSecret(await liveClient(tenant, id, clientId), secretId),
    async listClients(tenant, id) {
      await existing(tenant, id)
      return clients.list(id)
    },
    async revokeClient(tenant, id, clientId) {
      const client = await ownClient(tenant, id, clientId)
      if (client.revokedAt === null)
        await store.updateClient(clientId, { revokedAt: runtime.now() })
    },
    events,
    watch({ signal, everyMs = MINUTE_MS, others = async () => [] }) {
      const { check } = createAlarms({ memory, emit, runtime, metrics })
      const context = { store, tokensOf, clientsOf: clients.list, others, check }
      return watchConnections(context, { signal, everyMs, runtime, onError })
    },
    clients: {
      async find(clientId) {
        const client = await store.client(clientId)
        if (client === null || client.revokedAt !== null) return null
        const connection = await usable(client.tenant, client.connectionId)
        if (connection === null) return null
        const { settings, provider } = connection
        const secrets = await secretsOf(store, client)
        return { ...client, digest: null, secrets, settings, provider }
      },
      answered: recordAnswer,
      used: (client, secretId) => clients.used(client, secretId),
      refused({ connectionId }) {
        if (connectionId !== null) refusals.refused(connectionId)
      },
    },
    auth: () => ({
      kind: 'bearer',
      scheme: BEARER,
      async authenticate(token) {
        const found = await tokens.check(token)
        if (found !== null && 'problem' in found) {
          if (found.connectionId !== undefined) refusals.refused(found.connectionId)
          return found
        }
        if (found === null) return null
        if (found.connectionId === undefined) return null
        const connection = await usable(found.tenant, found.connectionId)
        return connection === null
          ? { problem: 'invalid' }
          : { ...found, settings: connection.settings, provider: connection.provider }
      },
      answered: recordAnswer,
    }),
  }
}

function readName(name: unknown): string {
  if (typeof name === 'string' && name.trim() !== '' && name.length <= 200) return name
  throw new TypeError('name must be a string of 1 to 200 characters')
}

function readProvider(provider: ConnectionProvider): ConnectionProvider {
  if (Object.hasOwn(PROVIDER_PRESETS, provider)) return provider
  throw new TypeError(`provider must be one of ${Object.keys(PROVIDER_PRESETS).join(', ')}`)
}
