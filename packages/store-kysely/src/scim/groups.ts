import type { GroupBrief, GroupRecord, GroupStore } from '@x/scim-core'
import { sql, type Kysely } from 'kysely'
import { chunks } from '../query/chunks.ts'
import { preparedQuery, type Placeholders } from '../query/prepared-query.ts'
import type { ScimTables } from '../schema/tables/scim.ts'
import { locksRows, statement } from '../engine/transaction.ts'
import {
  fromGroupRow,
  GROUP_RECORD_COLUMNS,
  toGroupRow,
  type GroupRecordRow,
  type GroupValues,
} from './group-row.ts'
import type { ListCache } from './list-cache.ts'
import { listGroups } from './list.ts'

type Db = Kysely<ScimTables>

/** State shared by the group stores of a database or a transaction. */
export interface GroupContext {
  readonly cache: ListCache
  /** Within a transaction: the groups read so far. */
  readonly seenGroups?: Map<string, GroupRecord>
}

/** Groups in SQL, without their members. */
export function createGroupStore(db: Db, { cache, seenGroups }: GroupContext): GroupStore {
  return {
    async get(tenant, id, options) {
      const locks = options?.forUpdate === true && locksRows(db)
      const { rows } = await (locks ? lockGroup : readGroup).run(db, { tenant, id })
      const row = rows[0]
      if (row === undefined) return null
      const record = fromGroupRow(tenant, row)
      seenGroups?.set(id, record)
      return record
    },

    async insert(tenant, record) {
      await statement(db, (step) => insertGroup.run(step, toGroupRow({ ...record, tenant })))
      cache.inserted(record.created)
    },

    async update(tenant, record, expectedVersion) {
      const row = toGroupRow(record.tenant === tenant ? record : { ...record, tenant })
      const before = seenGroups?.get(record.id)
      const known = before?.tenant === tenant && before.version === expectedVersion
      const query = known && isKeySame(record, before) ? updateDocument : updateGroup
      const { changed } = await statement(db, (step) =>
        query.run(step, { ...row, expectedVersion }),
      )
      if (changed > 0) cache.changed('updated')
      return changed > 0
    },

    async remove(tenant, id) {
      const { changed } = await deleteGroup.run(db, { tenant, id })
      if (changed > 0) cache.changed('removed')
      return changed > 0
    },

    async briefs(tenant, ids, options) {
      const found = new Map<string, GroupBrief>()
      for (const chunk of chunks(ids)) {
        const query = db
          .selectFrom('scim_group')
          .select(['id', 'display_name as displayName'])
          .where('tenant', '=', tenant)
          .where('id', 'in', chunk)
        const keeps = options?.keep === true && locksRows(db)
        const rows = await (keeps ? query.orderBy('id').forKeyShare() : query).execute()
        for (const row of rows) found.set(row.id, row)
      }
      return found
    },

    list: (tenant, query) => listGroups(db, { tenant, query, cache }),
  }
}

interface GroupKey {
  readonly tenant: string
  readonly id: string
}

const oneGroup = (db: Db, value: Placeholders<GroupKey>) =>
  db
    .selectFrom('scim_group')
    .select(GROUP_RECORD_COLUMNS)
    .where('tenant', '=', value('tenant'))
    .where('id', '=', value('id'))
    .limit(sql.lit(1))

const readGroup = preparedQuery<ScimTables, GroupKey, GroupRecordRow>(oneGroup)

const lockGroup = preparedQuery<ScimTables, GroupKey, GroupRecordRow>((db, value) =>
  oneGroup(db, value).forUpdate(),
)

const documentColumns = (value: Placeholders<GroupValues>) => ({
  display_name: value('display_name'),
  modified: value('modified'),
  version: value('version'),
  search: value('search'),
  data: value('data'),
})

const groupColumns = (value: Placeholders<GroupValues>) => ({
  ...documentColumns(value),
  external_id: value('external_id'),
  display_name_key: value('display_name_key'),
  unique_key: value('unique_key'),
  created: value('created'),
})

/** True if no indexed column changes. */
function isKeySame(record: GroupRecord, before: GroupRecord): boolean {
  return (
    record.externalId === before.externalId &&
    record.displayNameKey === before.displayNameKey &&
    record.uniqueKey === before.uniqueKey &&
    record.created.getTime() === before.created.getTime()
  )
}

const insertGroup = preparedQuery<ScimTables, GroupValues, never>((db, value) =>
  db
    .insertInto('scim_group')
    .values({ tenant: value('tenant'), id: value('id'), ...groupColumns(value) }),
)

type NewGroupValues = GroupValues & { readonly expectedVersion: number }

const versionedUpdate = (db: Db, value: Placeholders<NewGroupValues>) =>
  db
    .updateTable('scim_group')
    .where('tenant', '=', value('tenant'))
    .where('id', '=', value('id'))
    .where('version', '=', value('expectedVersion'))

const updateGroup = preparedQuery<ScimTables, NewGroupValues, never>((db, value) =>
  versionedUpdate(db, value).set(groupColumns(value)),
)

/** For records whose indexed values are unchanged, as when members change. */
const updateDocument = preparedQuery<ScimTables, NewGroupValues, never>((db, value) =>
  versionedUpdate(db, value).set(documentColumns(value)),
)

const deleteGroup = preparedQuery<ScimTables, GroupKey, never>((db, value) =>
  db.deleteFrom('scim_group').where('tenant', '=', value('tenant')).where('id', '=', value('id')),
)
