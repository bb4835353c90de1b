import type { ApiKeyStore } from '../store/api-keys.ts'
import type { McpServerStore } from '../store/mcp-servers.ts'
import type { ProjectStore } from '../store/projects.ts'
import type { UserFileStore } from '../store/user-files.ts'
import type { VariableStore } from '../store/variables.ts'
import { copy, copyOrNull, pair, patched } from '@x/wire'
import type { Table } from './table.ts'
import type { MemoryTables } from './tables.ts'

/** Creates the in-memory store of API keys. */
export function createApiKeys({ apiKeys }: MemoryTables): ApiKeyStore {
  return {
    findByHash: async (hash) => copyOrNull(apiKeys.find('apiKey.hash', hash)),
    list: async (userId) => apiKeys.filter((row) => row.userId === userId).map(copy),
    insert: async (record) => apiKeys.insert(copy(record)),
    async addUses(uses) {
      for (const { id, uses: count, lastUsedAt } of uses) {
        const row = apiKeys.get(id)
        if (row === undefined) continue
        const last = Math.max(row.lastUsedAt?.getTime() ?? 0, lastUsedAt.getTime())
        apiKeys.replace({ ...row, totalUses: row.totalUses + count, lastUsedAt: new Date(last) })
      }
    },
    remove: async (userId, id) => ownedRow(apiKeys, userId, id) !== undefined && apiKeys.delete(id),
  }
}

/** Creates the in-memory store of variables. */
export function createVariables({ variables }: MemoryTables): VariableStore {
  return {
    get: async (userId, id) => copyOrNull(ownedRow(variables, userId, id)),
    findByName: async (userId, name) =>
      copyOrNull(variables.find('variable.name', pair(userId, name))),
    list: async (userId) => variables.filter((row) => row.userId === userId).map(copy),
    insert: async (record) => variables.insert(copy(record)),
    update: async (userId, id, patch) => updateOwn(variables, patch, { userId, id }),
    remove: async (userId, id) =>
      ownedRow(variables, userId, id) !== undefined && variables.delete(id),
  }
}

/** Creates the in-memory store of projects. */
export function createProjects({ projects, flows }: MemoryTables): ProjectStore {
  return {
    get: async (userId, id) => copyOrNull(ownedRow(projects, userId, id)),
    find: async (id) => copyOrNull(projects.get(id)),
    findByName: async (userId, name) =>
      copyOrNull(projects.find('project.name', pair(userId, name))),
    list: async (userId) => projects.filter((row) => row.userId === userId).map(copy),
    names: async (userId, prefix) =>
      projects
        .filter((row) => row.userId === userId && row.name.startsWith(prefix))
        .map((row) => row.name),
    insert: async (record) => projects.insert(copy(record)),
    update: async (userId, id, patch) => updateOwn(projects, patch, { userId, id }),
    async remove(userId, id) {
      if (ownedRow(projects, userId, id) === undefined) return false
      for (const row of projects.filter((child) => child.parentId === id)) {
        projects.replace({ ...row, parentId: null })
      }
      for (const row of flows.filter((flow) => flow.folderId === id)) {
        flows.replace({ ...row, folderId: null })
      }
      return projects.delete(id)
    },
  }
}

/** Creates the in-memory store of user file records. */
export function createUserFiles({ userFiles }: MemoryTables): UserFileStore {
  return {
    get: async (userId, id) => copyOrNull(ownedRow(userFiles, userId, id)),
    findByName: async (userId, name) =>
      copyOrNull(userFiles.find('userFile.name', pair(userId, name))),
    async findByPath(userId, path) {
      const row = userFiles.find('userFile.path', path)
      return copyOrNull(row?.userId === userId ? row : undefined)
    },
    names: async (userId, prefix) =>
      userFiles
        .filter((row) => row.userId === userId && row.name.startsWith(prefix))
        .map((row) => row.name),
    list: async (userId) => userFiles.filter((row) => row.userId === userId).map(copy),
    insert: async (record) => userFiles.insert(copy(record)),
    update: async (userId, id, patch) => updateOwn(userFiles, patch, { userId, id }),
    async remove(userId, ids) {
      const wanted = new Set(ids)
      const rows = userFiles.filter((row) => row.userId === userId && wanted.has(row.id))
      for (const { id } of rows) userFiles.delete(id)
      return rows.map(copy)
    },
  }
}

/** Creates the in-memory store of MCP servers. */
export function createMcpServers({ mcpServers }: MemoryTables): McpServerStore {
  return {
    get: async (userId, name) => copyOrNull(mcpServers.get(pair(userId, name))),
    list: async (userId) => mcpServers.filter((row) => row.userId === userId).map(copy),
    insert: async (record) => mcpServers.insert(copy(record)),
    async update(userId, name, patch) {
      const row = mcpServers.get(pair(userId, name))
      if (row !== undefined) mcpServers.replace(patched(row, patch))
      return row !== undefined
    },
    remove: async (userId, name) => mcpServers.delete(pair(userId, name)),
  }
}

interface Owned {
  readonly id: string
  readonly userId: string
}

/** Returns the row with this id if it belongs to the user. */
export function ownedRow<T extends Owned>(
  table: Table<T>,
  userId: string,
  id: string,
): T | undefined {
  const row = table.get(id)
  return row?.userId === userId ? row : undefined
}

/** Updates a row owned by the user; null if there is none. */
export function updateOwn<T extends Owned>(
  table: Table<T>,
  patch: { readonly [K in keyof T]?: T[K] },
  { userId, id }: Owned,
): T | null {
  const row = ownedRow(table, userId, id)
  if (row === undefined) return null
  const changed = patched<T>(row, patch)
  table.replace(changed)
  return copy(changed)
}
