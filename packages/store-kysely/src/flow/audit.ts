import type { AuditQuery, AuditStore } from '@x/flow-service/store'
import { sql, type Kysely } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import { protect } from '../engine/protect.ts'
import type { FlowTables } from '../schema/tables/flow.ts'
import { allStatements, oneStatement } from '../engine/sqlite/group.ts'
import { groupOf, rowsOf } from './context.ts'
import { toFlowError } from './errors.ts'
import { auditMapping } from './mappings.ts'

/**
 * Creates an audit store on a database prepared by `migrateFlow`.
 * @throws TypeError if the database was not opened by `openSqlite` or `openPostgres`
 */
export function createAuditStore<Tables>(db: Kysely<Tables>): AuditStore {
  engineOf(db)
  const tables = db as unknown as Kysely<FlowTables>
  const rows = rowsOf(tables, 'flow_audit', auditMapping)
  const group = groupOf(tables)
  const store: AuditStore = {
    async append(records) {
      const [first] = records
      if (first === undefined) return
      if (group === undefined) await rows.insert(records)
      else if (records.length === 1) await group.write(oneStatement(rows.insertion(first), DURABLE))
      else
        await group.write(
          allStatements(
            records.map((record) => rows.insertion(record)),
            DURABLE,
          ),
        )
    },
    list: (query) =>
      rows.select(sql`where ${auditConditions(query)} order by seq desc limit ${query.limit}`),
    async trim(before) {
      await sql`delete from flow_audit where at < ${before.getTime()}`.execute(tables)
    },
  }
  return protect(store, toFlowError)
}

/** Group commit, because a commit for each record would cost more than the recorded call. */
const DURABLE = { durable: true, invalidatesNothing: true } as const

function auditConditions({ before, action, actorId, targetId }: AuditQuery) {
  const conditions = [
    ...(before === undefined
      ? []
      : [sql`seq < (select b.seq from flow_audit b where b.id = ${before})`]),
    ...(action === undefined ? [] : [sql`action = ${action}`]),
    ...(actorId === undefined ? [] : [sql`actor_id = ${actorId}`]),
    ...(targetId === undefined ? [] : [sql`target_id = ${targetId}`]),
  ]
  return conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `)
}
