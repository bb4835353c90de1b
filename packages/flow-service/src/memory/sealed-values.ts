import { pair } from '@x/wire'
import type { SealedKind, SealedValue, SealedValueStore } from '../store/sealed-values.ts'
import type { MemoryTables } from './tables.ts'

/** Creates the in-memory store of encrypted values. */
export function createSealedValues(tables: MemoryTables): SealedValueStore {
  const { variables, mcpServers, projects, collections, users } = tables
  const readers: Record<SealedKind, () => SealedValue[]> = {
    variable: () =>
      variables
        .filter(() => true)
        .map(({ id, userId, name, value }) => ({ kind: 'variable', key: id, userId, name, value })),
    toolServer: () =>
      mcpServers
        .filter(() => true)
        .map(({ userId, name, config: value }) => {
          return { kind: 'toolServer', key: pair(userId, name), userId, name, value }
        }),
    project: () =>
      projects
        .filter(({ authSettings }) => authSettings !== null)
        .map(({ id, userId, name, authSettings }) => {
          return { kind: 'project', key: id, userId, name, value: JSON.stringify(authSettings) }
        }),
    collection: () =>
      collections
        .filter(({ apiKey }) => apiKey !== null)
        .map(({ id, userId, name, apiKey }) => {
          return { kind: 'collection', key: id, userId, name, value: apiKey ?? '' }
        }),
    storeKey: () =>
      users
        .filter(({ storeApiKey }) => storeApiKey !== null)
        .map(({ id, username, storeApiKey }) => {
          return { kind: 'storeKey', key: id, userId: id, name: username, value: storeApiKey ?? '' }
        }),
  }
  const writers: Record<SealedKind, (key: string, by: string) => void> = {
    variable: (key, value) => replace(variables, key, { value }),
    toolServer: (key, config) => replace(mcpServers, key, { config }),
    project: (key, by) =>
      replace(projects, key, { authSettings: JSON.parse(by) as Record<string, unknown> }),
    collection: (key, apiKey) => replace(collections, key, { apiKey }),
    storeKey: (key, storeApiKey) => replace(users, key, { storeApiKey }),
  }
  return {
    async list({ kind, after, limit }) {
      const all = readers[kind]()
      const start = after === null ? 0 : all.findIndex(({ key }) => key === after) + 1
      return all.slice(start, start + limit)
    },
    async exchange({ kind, key, value }, by) {
      const now = readers[kind]().find((one) => one.key === key)
      if (now?.value !== value) return false
      writers[kind](key, by)
      return true
    },
  }
}

interface Rows<T> {
  get(key: string): T | undefined
  replace(row: T): void
}

function replace<T>(table: Rows<T>, key: string, patch: Partial<T>): void {
  const row = table.get(key)
  if (row !== undefined) table.replace({ ...row, ...patch })
}
