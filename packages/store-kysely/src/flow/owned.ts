import type {
  ApiKeyRecord,
  ApiKeyStore,
  McpServerStore,
  VariableStore,
} from '@x/flow-service/store'
import { sql } from 'kysely'
import { queryParts } from '../records/row-parts.ts'
import { keptRecords } from '../records/kept-records.ts'
import { atomic } from '../engine/transaction.ts'
import { rowsOf, type FlowDb } from './context.ts'
import { apiKeyMapping, mcpServerMapping, variableMapping } from './mappings.ts'

/** Cached, because each request with a key reads it. */
const API_KEY_CACHE = {
  records: 1000,
  characters: 1024 * 1024,
  sizeOf: ({ name }: ApiKeyRecord) => name?.length ?? 0,
}

/** API keys in SQL. */
export function createApiKeys(db: FlowDb): ApiKeyStore {
  const rows = rowsOf(db, 'flow_api_key', apiKeyMapping)
  return {
    findByHash: keptRecords(db, (hash) => rows.first({ hash }), API_KEY_CACHE),
    list: (userId) => rows.all({ userId }),
    parts: (userId) =>
      queryParts(
        db,
        { table: 'flow_api_key', mapping: apiKeyMapping },
        { large: ['name'], rest: sql`where user_id = ${userId} order by seq` },
      ),
    insert: (record) => rows.insert([record]),
    addUses: (uses) =>
      atomic(db, async (tx) => {
        // In a fixed order, so that two processes cannot deadlock.
        for (const { id, uses: count, lastUsedAt } of uses.toSorted((a, b) =>
          a.id < b.id ? -1 : 1,
        )) {
          const at = lastUsedAt.getTime()
          await sql`update flow_api_key set total_uses = total_uses + ${count},
            last_used_at = case when last_used_at > ${at} then last_used_at else ${at} end
            where id = ${id}`.execute(tx)
        }
      }),
    remove: async (userId, id) => (await rows.remove({ userId, id })) > 0,
  }
}

/** Variables in SQL. */
export function createVariables(db: FlowDb): VariableStore {
  const rows = rowsOf(db, 'flow_variable', variableMapping)
  return {
    get: (userId, id) => rows.first({ userId, id }),
    findByName: (userId, name) => rows.first({ userId, name }),
    list: (userId) => rows.all({ userId }),
    parts: (userId) =>
      queryParts(
        db,
        { table: 'flow_variable', mapping: variableMapping },
        { large: ['value', 'default_fields'], rest: sql`where user_id = ${userId} order by seq` },
      ),
    insert: (record) => rows.insert([record]),
    update: (userId, id, patch) => rows.update({ userId, id }, patch),
    remove: async (userId, id) => (await rows.remove({ userId, id })) > 0,
  }
}

/** Tool servers in SQL. */
export function createMcpServers(db: FlowDb): McpServerStore {
  const rows = rowsOf(db, 'flow_mcp_server', mcpServerMapping)
  return {
    get: (userId, name) => rows.first({ userId, name }),
    list: (userId) => rows.all({ userId }),
    insert: (record) => rows.insert([record]),
    update: async (userId, name, patch) => (await rows.update({ userId, name }, patch)) !== null,
    remove: async (userId, name) => (await rows.remove({ userId, name })) > 0,
  }
}
