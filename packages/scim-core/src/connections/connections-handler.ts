import {
  adminMethods,
  createAdminHandler,
  type AdminOperations,
  type AdminOptions,
} from '../base/admin-api.ts'
import { readAdminSeconds, readAdminTime } from '../base/admin-body.ts'
import { ScimError } from '../base/errors.ts'
import type { ScimConnections } from './scim-connections.ts'

export interface ConnectionsHandlerOptions extends AdminOptions {
  readonly connections: ScimConnections
}

/** The admin API of connections, for a host's settings page. */
export function createConnectionsHandler({
  connections,
  ...options
}: ConnectionsHandlerOptions): (request: Request) => Promise<Response> {
  return createAdminHandler(options, connections, operationsOf)
}

type Operations = AdminOperations<ScimConnections>

const methods = adminMethods<ScimConnections>

const ROOT = methods(
  [
    'GET',
    async ({ target: connections, tenant }) => [
      200,
      { connections: await connections.list(tenant) },
    ],
  ],
  [
    'POST',
    async ({ target: connections, tenant, body }) => {
      const { name, provider, settings, expiresAt } = await body()
      const created = await connections.create({
        tenant,
        name: name as string,
        provider: provider as 'other',
        ...(settings !== undefined && { settings: settings as object }),
        ...expiry(expiresAt),
      })
      return [201, created]
    },
  ],
)

const ONE = methods(
  [
    'GET',
    async ({ target: connections, tenant, id }) => {
      const connection = await connections.get(tenant, id)
      if (connection === null) throw new ScimError('not_found', 'The connection does not exist.')
      return [200, { connection }]
    },
  ],
  [
    'PATCH',
    async ({ target: connections, tenant, id, body }) => {
      const { name, enabled, settings } = await body()
      const connection = await connections.update(tenant, id, {
        ...(name !== undefined && { name: name as string }),
        ...(enabled !== undefined && { enabled: enabled as boolean }),
        ...(settings !== undefined && { settings: settings as object }),
      })
      return [200, { connection }]
    },
  ],
  [
    'DELETE',
    async ({ target: connections, tenant, id }) => {
      await connections.remove(tenant, id)
      return [204, null]
    },
  ],
)

const TOKENS = methods(
  [
    'GET',
    async ({ target: connections, tenant, id }) => {
      const tokens = await connections.listTokens(tenant, id)
      const shown = tokens.map((token) => ({
        id: token.id,
        label: token.label,
        created: token.created,
        expiresAt: token.expiresAt,
        revokedAt: token.revokedAt,
        lastUsedAt: token.lastUsedAt,
      }))
      return [200, { tokens: shown }]
    },
  ],
  [
    'POST',
    async ({ target: connections, tenant, id, body }) => {
      const { expiresAt, label } = await body()
      if (label !== undefined && typeof label !== 'string') {
        throw new TypeError('label must be a string')
      }
      const options = { ...expiry(expiresAt), ...(label !== undefined && { label }) }
      return [201, await connections.issueToken(tenant, id, options)]
    },
  ],
)

const TOKEN = methods([
  'DELETE',
  async ({ target: connections, tenant, id, part }) => {
    await connections.revokeToken(tenant, id, part)
    return [204, null]
  },
])

const ROTATE = methods([
  'POST',
  async ({ target: connections, tenant, id, part, body }) => {
    const overlapSeconds = readAdminSeconds('overlapSeconds', (await body())['overlapSeconds'])
    const options = overlapSeconds === undefined ? {} : { overlapSeconds }
    return [201, await connections.rotateToken(tenant, id, part, options)]
  },
])

const CLIENTS = methods(
  [
    'GET',
    async ({ target: connections, tenant, id }) => [
      200,
      { clients: await connections.listClients(tenant, id) },
    ],
  ],
  [
    'POST',
    async ({ target: connections, tenant, id, body }) => {
      const { label, expiresAt, jwks, federation } = await body()
      const options = {
        ...(label !== undefined && { label: label as string }),
        ...expiry(expiresAt),
        ...(jwks !== undefined && { jwks: jwks as { keys: never[] } }),
        ...(federation !== undefined && { federation: federation as never }),
      }
      return [201, await connections.issueClient(tenant, id, options)]
    },
  ],
)

const SECRETS = methods([
  'POST',
  async ({ target: connections, tenant, id, part, body }) => {
    const options = expiry((await body())['expiresAt'])
    return [201, await connections.issueClientSecret(tenant, id, part, options)]
  },
])

const SECRET = methods([
  'DELETE',
  async ({ target: connections, tenant, id, part, last }) => {
    await connections.revokeClientSecret(tenant, id, part, last)
    return [204, null]
  },
])

const ROTATE_SECRET = methods([
  'POST',
  async ({ target: connections, tenant, id, part, last, body }) => {
    const overlapSeconds = readAdminSeconds('overlapSeconds', (await body())['overlapSeconds'])
    const options = overlapSeconds === undefined ? {} : { overlapSeconds }
    return [201, await connections.rotateClientSecret(tenant, id, part, last, options)]
  },
])

const CLIENT = methods([
  'DELETE',
  async ({ target: connections, tenant, id, part }) => {
    await connections.revokeClient(tenant, id, part)
    return [204, null]
  },
])

function operationsOf(parts: readonly string[]): Operations | null {
  const [, kind, , third, , fifth] = parts
  const { length } = parts
  if (length === 0) return ROOT
  if (length === 1) return ONE
  if (kind === 'tokens') {
    if (length === 2) return TOKENS
    if (length === 3) return TOKEN
    return length === 4 && third === 'rotate' ? ROTATE : null
  }
  if (kind !== 'clients') return null
  if (length === 2) return CLIENTS
  if (length === 3) return CLIENT
  if (third !== 'secrets') return null
  if (length === 4) return SECRETS
  if (length === 5) return SECRET
  return length === 6 && fifth === 'rotate' ? ROTATE_SECRET : null
}

/** @throws TypeError */
function expiry(value: unknown): { readonly expiresAt?: Date } {
  const expiresAt = readAdminTime('expiresAt', value)
  return expiresAt === undefined ? {} : { expiresAt }
}
