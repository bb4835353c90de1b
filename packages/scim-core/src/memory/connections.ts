import { compareCodePoints } from '../base/fold.ts'
import type {
  ClientRecord,
  ClientSecretRecord,
  Connection,
  ConnectionStore,
} from '../store/connections.ts'

const MAX_REMOVED = 1_000

/** An in-memory connection store, for tests and trials. */
export function createMemoryConnectionStore(): ConnectionStore {
  const connections = new Map<string, Connection>()
  const clients = new Map<string, ClientRecord>()
  const removed = new Map<string, { id: string; at: Date }[]>()
  const secrets = new Map<string, ClientSecretRecord>()
  const find = (tenant: string, id: string): Connection | null => {
    const record = connections.get(id)
    return record?.tenant === tenant ? record : null
  }
  const ofTenant = (tenant: string): Connection[] =>
    [...connections.values()].filter((record) => record.tenant === tenant).toSorted(byAge)
  return {
    async insert(record, limit) {
      if (ofTenant(record.tenant).length >= limit) return false
      connections.set(record.id, structuredClone(record))
      return true
    },
    get: async (tenant, id) => structuredClone(find(tenant, id)),
    byId: async (id) => structuredClone(connections.get(id) ?? null),
    list: async (tenant) => ofTenant(tenant).map((record) => structuredClone(record)),
    page: async ({ after, limit }) =>
      [...connections.values()]
        .filter(({ id }) => after === undefined || compareCodePoints(id, after) > 0)
        .toSorted((a, b) => compareCodePoints(a.id, b.id))
        .slice(0, limit)
        .map((record) => structuredClone(record)),
    async update(tenant, id, patch) {
      const record = find(tenant, id)
      if (record === null) return false
      const changed = { ...record, ...structuredClone(patch) }
      const { lastError } = isEarlier(changed, record) ? record : changed
      connections.set(id, { ...changed, lastError })
      return true
    },
    async remove(tenant, id, at) {
      if (find(tenant, id) === null) return false
      if (at !== undefined) {
        removed.set(tenant, [...(removed.get(tenant) ?? []), { id, at }].slice(-MAX_REMOVED))
      }
      connections.delete(id)
      for (const client of clients.values()) {
        if (client.connectionId !== id) continue
        clients.delete(client.id)
        for (const secret of secrets.values()) {
          if (secret.clientId === client.id) secrets.delete(secret.id)
        }
      }
      return true
    },
    removed: async (tenant) => structuredClone(removed.get(tenant) ?? []),
    async insertClient(record) {
      clients.set(record.id, structuredClone(record))
    },
    client: async (id) => structuredClone(clients.get(id) ?? null),
    clients: async (connectionId) =>
      [...clients.values()]
        .filter((client) => client.connectionId === connectionId)
        .toSorted(byAge)
        .map((client) => structuredClone(client)),
    hasClients: async () => clients.size > 0,
    updateClient: async (id, patch) => patched(clients, id, patch),
    async insertSecret(record) {
      secrets.set(record.id, structuredClone(record))
    },
    secrets: async (clientId) =>
      [...secrets.values()]
        .filter((secret) => secret.clientId === clientId)
        .toSorted(byAge)
        .map((secret) => structuredClone(secret)),
    updateSecret: async (id, patch) => patched(secrets, id, patch),
  }
}

function patched<Item extends object>(
  items: Map<string, Item>,
  id: string,
  patch: Partial<Item>,
): boolean {
  const item = items.get(id)
  if (item === undefined) return false
  items.set(id, { ...item, ...structuredClone(patch) })
  return true
}

type Aged = Pick<Connection, 'created' | 'id'>

const byAge = (a: Aged, b: Aged): number =>
  a.created.getTime() - b.created.getTime() || compareCodePoints(a.id, b.id)

/** True if the error of a connection happened before that of the other. */
function isEarlier({ lastError }: Connection, other: Connection): boolean {
  return lastError !== null && other.lastError !== null && lastError.at < other.lastError.at
}
