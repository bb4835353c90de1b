import type { UserFileRecord, UserFileStore } from '@x/flow-service/store'
import { sql } from 'kysely'
import { chunks } from '../query/chunks.ts'
import { idList } from '../query/id-list.ts'
import { atomic } from '../engine/transaction.ts'
import { queryParts } from '../records/row-parts.ts'
import { rowsOf, type FlowDb } from './context.ts'
import { userFileMapping } from './mappings.ts'
import { beginsWith } from './names.ts'

/** Records of the files of users in SQL. */
export function createUserFiles(db: FlowDb): UserFileStore {
  const rows = rowsOf(db, 'flow_user_file', userFileMapping)
  return {
    get: (userId, id) => rows.first({ userId, id }),
    findByName: (userId, name) => rows.first({ userId, name }),
    findByPath: (userId, path) => rows.first({ userId, path }),
    names: (userId, prefix) =>
      rows.pluck(
        'name',
        sql`where user_id = ${userId} and ${beginsWith('name', prefix)} order by seq`,
      ),
    list: (userId) => rows.all({ userId }),
    parts: (userId) =>
      queryParts(
        db,
        { table: 'flow_user_file', mapping: userFileMapping },
        { large: ['name', 'path'], rest: sql`where user_id = ${userId} order by seq` },
      ),
    insert: (record) => rows.insert([record]),
    update: (userId, id, patch) => rows.update({ userId, id }, patch),
    remove: (userId, ids) =>
      atomic(db, async (tx) => {
        const found: UserFileRecord[] = []
        const files = rowsOf(tx, 'flow_user_file', userFileMapping)
        for (const part of chunks([...new Set(ids)])) {
          const wanted = sql`user_id = ${userId} and id in (select ids.id from ${idList(tx, part)})`
          for (const file of await files.select(sql`where ${wanted} order by seq`)) found.push(file)
          await sql`delete from flow_user_file where ${wanted}`.execute(tx)
        }
        return found
      }),
  }
}
