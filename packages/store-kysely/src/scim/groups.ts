import type { GroupBrief, GroupStore } from '@x/scim-core'
import type { Kysely } from 'kysely'
import { chunks } from '../chunks.ts'
import { engineOf } from '../dialect.ts'
import { hotQuery, type Placeholders } from '../hot-query.ts'
import type { ScimTables } from '../tables/scim.ts'
import { statement } from '../transaction.ts'
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

/** Groups in SQL, without their members. */
export function createGroupStore(db: Db, { cache }: { readonly cache: ListCache }): GroupStore {
  return {
    async get(tenant, id, options) {
      const locks =
        options?.forUpdate === true && db.isTransaction && engineOf(db).kind === 'postgres'
      const { rows } = await (locks ? lockGroup : readGroup).run(db, { tenant, id })
      const row = rows[0]
      return row === undefined ? null : fromGroupRow(tenant, row)
    },

    async insert(tenant, record) {
      await statement(db, (step) => insertGroup.run(step, toGroupRow({ ...record, tenant })))
      cache.inserted(record.created)
    },

    async update(tenant, record, expectedVersion) {
      const { changed } = await statement(db, (step) =>
        updateGroup.run(step, { ...toGroupRow({ ...record, tenant }), expectedVersion }),
      )
      if (changed > 0) cache.changed('updated')
      return changed > 0
    },

    async remove(tenant, id) {
      const { changed } = await deleteGroup.run(db, { tenant, id })
      if (changed > 0) cache.changed('removed')
      return changed > 0
    },

    async briefs(tenant, ids) {
      const found = new Map<string, GroupBrief>()
      for (const chunk of chunks(ids)) {
        const rows = await db
          .selectFrom('scim_group')
          .select(['id', 'display_name as displayName'])
          .where('tenant', '=', tenant)
          .where('id', 'in', chunk)
          .execute()
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

const readGroup = hotQuery<ScimTables, GroupKey, GroupRecordRow>(oneGroup)

const lockGroup = hotQuery<ScimTables, GroupKey, GroupRecordRow>((db, value) =>
  oneGroup(db, value).forUpdate(),
)

const groupColumns = (value: Placeholders<GroupValues>) => ({
  external_id: value('external_id'),
  display_name: value('display_name'),
  display_name_key: value('display_name_key'),
  unique_key: value('unique_key'),
  created: value('created'),
  modified: value('modified'),
  version: value('version'),
  search: value('search'),
  data: value('data'),
})

const insertGroup = hotQuery<ScimTables, GroupValues, never>((db, value) =>
  db
    .insertInto('scim_group')
    .values({ tenant: value('tenant'), id: value('id'), ...groupColumns(value) }),
)

const updateGroup = hotQuery<ScimTables, GroupValues & { readonly expectedVersion: number }, never>(
  (db, value) =>
    db
      .updateTable('scim_group')
      .set(groupColumns(value))
      .where('tenant', '=', value('tenant'))
      .where('id', '=', value('id'))
      .where('version', '=', value('expectedVersion')),
)

const deleteGroup = hotQuery<ScimTables, GroupKey, never>((db, value) =>
  db.deleteFrom('scim_group').where('tenant', '=', value('tenant')).where('id', '=', value('id')),
)
