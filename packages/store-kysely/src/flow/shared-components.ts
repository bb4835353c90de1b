import type {
  SharedComponentPatch,
  SharedComponentRecord,
  SharedComponentStore,
} from '@x/flow-service/store'
import { sql } from 'kysely'
import { encodeText } from '../records/columns.ts'
import { atomic } from '../engine/transaction.ts'
import { componentParts, listComponents } from './shared-component-list.ts'
import { rowsOf, type FlowDb } from './context.ts'
import { componentMapping } from './mappings.ts'

/** Shared components in SQL. */
export function createComponents(db: FlowDb): SharedComponentStore {
  const rows = rowsOf(db, 'flow_component', componentMapping)
  return {
    get: (id) => rows.first({ id }),
    list: (query) => listComponents(db, query),
    parts: (query) => componentParts(db, query),

    insert: (record, tagIds) =>
      atomic(db, async (tx) => {
        await rowsOf(tx, 'flow_component', componentMapping).insert([record], foldedColumns)
        await addTags(tx, record.id, tagIds)
      }),

    update: (ownerId, id, { tagIds, ...patch }: SharedComponentPatch) =>
      atomic(db, async (tx) => {
        const changed = await rowsOf(tx, 'flow_component', componentMapping).update(
          { ownerId, id },
          patch,
          foldedColumns(patch),
        )
        if (changed === null) return false
        if (tagIds !== undefined) {
          await tx.deleteFrom('flow_component_tag').where('component_id', '=', id).execute()
          await addTags(tx, id, tagIds)
        }
        return true
      }),

    async addDownload(id) {
      await sql`update flow_component set downloads = downloads + 1 where id = ${id}`.execute(db)
    },
  }
}

async function addTags(tx: FlowDb, id: string, tagIds: readonly string[]): Promise<void> {
  const rows = [...new Set(tagIds)].map((tagId) => ({ component_id: id, tag_id: tagId }))
  if (rows.length > 0) await tx.insertInto('flow_component_tag').values(rows).execute()
}

/** Case-folded copies of the strings used for search and sorting, because databases fold only ASCII. */
function foldedColumns(record: Partial<SharedComponentRecord>): Record<string, string | null> {
  const { name, description, lastTestedVersion } = record
  return {
    ...(name === undefined ? {} : { name_key: folded(name) }),
    ...(description === undefined
      ? {}
      : { description_key: description === null ? null : folded(description) }),
    ...(lastTestedVersion === undefined
      ? {}
      : { last_tested_version_key: folded(lastTestedVersion) }),
  }
}

/** The case-folded form compared by searches and sort orders of the component store. */
export function folded(text: string): string {
  return encodeText(text.toLowerCase())
}
