import type { ProjectRecord, ProjectStore } from '@x/flow-service/store'
import { sql } from 'kysely'
import { atomic } from '../engine/transaction.ts'
import { keptRecords } from '../records/kept-records.ts'
import { queryParts } from '../records/row-parts.ts'
import { rowsOf, type FlowDb } from './context.ts'
import { projectMapping } from './mappings.ts'
import { beginsWith } from './names.ts'

/** Cached, because each tool call reads its project. */
const PROJECT_CACHE = {
  records: 256,
  characters: 512 * 1024,
  sizeOf: ({ description, authSettings }: ProjectRecord) =>
    512 + (description?.length ?? 0) + JSON.stringify(authSettings).length,
}

/** Projects in SQL. */
export function createProjects(db: FlowDb): ProjectStore {
  const rows = rowsOf(db, 'flow_project', projectMapping)
  const find = keptRecords(db, (id) => rows.first({ id }), PROJECT_CACHE)
  return {
    async get(userId, id) {
      const project = await find(id)
      return project?.userId === userId ? project : null
    },
    find,
    findByName: (userId, name) => rows.first({ userId, name }),
    list: (userId) => rows.all({ userId }),
    parts: (userId, first) =>
      queryParts(
        db,
        { table: 'flow_project', mapping: projectMapping },
        {
          large: ['description', 'auth_settings'],
          rest: sql`where user_id = ${userId}
            order by case when name = ${first} then 0 else 1 end, name`,
        },
      ),
    names: (userId, prefix) =>
      rows.pluck(
        'name',
        sql`where user_id = ${userId} and ${beginsWith('name', prefix)} order by seq`,
      ),
    insert: (record) => rows.insert([record]),
    update: (userId, id, patch) => rows.update({ userId, id }, patch),
    remove: (userId, id) =>
      atomic(db, async (tx) => {
        if ((await rowsOf(tx, 'flow_project', projectMapping).remove({ userId, id })) === 0) {
          return false
        }
        await sql`update flow_project set parent_id = null where parent_id = ${id}`.execute(tx)
        await sql`update flow_flow set folder_id = null where folder_id = ${id}`.execute(tx)
        return true
      }),
  }
}
