import type { CountedKind, CountStore } from '@x/flow-service/store'
import { sql } from 'kysely'
import type { FlowDb } from './context.ts'

/** Table and owner column of each kind; all are indexed. */
const PLACES: Readonly<Record<CountedKind, readonly [table: string, owner: string]>> = {
  apiKeys: ['flow_api_key', 'user_id'],
  variables: ['flow_variable', 'user_id'],
  projects: ['flow_project', 'user_id'],
  flows: ['flow_flow', 'user_id'],
  userFiles: ['flow_user_file', 'user_id'],
  messages: ['flow_message', 'user_id'],
  components: ['flow_component', 'owner_id'],
  mcpServers: ['flow_mcp_server', 'user_id'],
}

/** Counts of the rows of a user in SQL. */
export function createCounts(db: FlowDb): CountStore {
  return {
    async of(userId, kind, most) {
      const [table, owner] = PLACES[kind]
      const { rows } = await sql<{ n: number | bigint | string }>`select count(*) as n from
        (select 1 from ${sql.table(table)} where ${sql.ref(owner)} = ${userId} limit ${most}) as seen`.execute(
        db,
      )
      return Number(rows[0]?.n ?? 0)
    },
    async fileBytes(userId) {
      const { rows } = await sql<{ n: number | bigint | string | null }>`
        select sum(size) as n from flow_user_file where user_id = ${userId}`.execute(db)
      return Number(rows[0]?.n ?? 0)
    },
  }
}
