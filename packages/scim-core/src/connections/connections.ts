import { createEvents, createSystemRuntime } from '@x/wire'
import {
  PROVIDER_PRESETS,
  readConnectionSettings,
  withPreset,
} from '../base/connection-settings.ts'
import { ScimError } from '../base/errors.ts'
import {
  ALL_SCOPES,
  type ScimAnswered,
  type ScimAuthProblem,
  type ScimPrincipal,
} from '../base/principal.ts'
import { createScimTokens, type TokenInfo } from '../rules/tokens.ts'
import type { ConnectionProvider } from '../base/connection-settings.ts'
import type { ClientRecord, Connection } from '../store/connections.ts'
import { createConnectionClients, secretsOf } from './clients.ts'
import { createAlarmMemory } from './alarm-memory.ts'
import { createAlarms, type WatchedSource } from './alarms.ts'
import { createAnnounce } from './announce.ts'
import { CONNECTION_EVENTS, type ConnectionEvents } from './connection-events.ts'
import type { ScimConnections, ScimConnectionsOptions } from './scim-connections.ts'
import { createConnectionLog } from './connection-log.ts'
import { connectionOfTag, connectionTag } from './connection-tag.ts'
import { createRefusals } from './refusals.ts'
import { watchConnections } from './watch-connections.ts'

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
  outbox = false,
  metrics,
}: ScimConnectionsOptions): ScimConnections {
  const { source: events, emit } = createEvents<ConnectionEvents>(CONNECTION_EVENTS, onError)
  const announce = createAnnounce({ memory, emit, runtime, outbox })
  const refusals = createRefusals({
    memory,
    announce,
    byId: (id) => store.byId(id),
    onError,
    alarmOf: ({ tenant, id: connectionId, provider }, count) => {
      const at = runtime.now().toISOString()
      const facts = { at, tenant, connectionId, provider, refusals: count }
      return { type: 'connection.refused', facts }
    },
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
  /** A credential that is unknown but names a connection: mistyped, cut off, or sent in another form. */
  const refusedByTag = async (text: string): Promise<ScimAuthProblem | null> => {
    const connection = await connectionOfTag(store, text)
    if (connection === null) return null
    const { tenant, id: connectionId, settings, enabled } = connection
    const isPaused = enabled && settings.paused === true
    return { problem: isPaused ? 'paused' : 'invalid', tenant, connectionId }
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
        throw new ScimError('conflict', `A tenant can have at most ${MAX_CONNECTIONS} connections.`)
      }
      const { id: tokenId, token } = await tokens.issue({
        tenant,
        scopes,
        connectionId: connection.id,
        ...tagOf(connection.id),
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
        ...tagOf(id),
        ...(expiresAt !== undefined && { expiresAt }),
        ...(label !== undefined && { label }),
      })
    },
    async rotateToken(tenant, id, tokenId, options) {
      await ownToken(tenant, id, tokenId)
      await assertRoom(tenant, id)
      return tokens.rotate(tenant, tokenId, { ...options, ...tagOf(id) })
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
      const alarms = createAlarms({ memory, announce, runtime, metrics })
      const context = {
        store,
        tokensOf,
        clientsOf: (id: string) => clients.list(id),
        others,
        check: (source: WatchedSource) => alarms.check(source),
      }
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
        if (found === null) return await refusedByTag(token)
        if ('problem' in found) {
          if (found.connectionId !== undefined) refusals.refused(found.connectionId)
          return found
        }
        const { tenant, connectionId } = found
        if (connectionId === undefined) return null
        const connection = await usable(tenant, connectionId)
        if (connection === null) return { problem: 'invalid' }
        const { settings, provider } = connection
        return { ...found, settings, provider }
      },
      misplaced: refusedByTag,
      answered: recordAnswer,
    }),
  }
}

function tagOf(id: string): { readonly tag?: string } {
  const tag = connectionTag(id)
  return tag === undefined ? {} : { tag }
}

function readName(name: unknown): string {
  if (typeof name === 'string' && name.trim() !== '' && name.length <= 200) return name
  throw new TypeError('name must be a string of 1 to 200 characters')
}

function readProvider(provider: ConnectionProvider): ConnectionProvider {
  if (Object.hasOwn(PROVIDER_PRESETS, provider)) return provider
  throw new TypeError(`provider must be one of ${Object.keys(PROVIDER_PRESETS).join(', ')}`)
}
