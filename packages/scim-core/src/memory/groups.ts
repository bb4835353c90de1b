import { recordData, cacheParsedData } from '../base/document.ts'
import { recordResource, referenceNeeds } from '../resource/record-resource.ts'
import type { GroupBrief, GroupRecord, GroupStore } from '../store/groups.ts'
import type { ListedRecords, ListQuery } from '../store/list-query.ts'
import { requiredValue, listPage } from './list.ts'
import type { Session } from './session.ts'
import { memberRows, type TenantState } from './tenant.ts'

/** In-memory groups within a session. */
export function createGroupStore({ state, undo }: Session): GroupStore {
  return {
    get: async (tenant, id) => {
      const record = state(tenant).groups.get(id)
      return record === undefined ? null : copy(record)
    },

    insert: async (tenant, record) => state(tenant).groups.put(copy(record), undo),

    async update(tenant, record, expectedVersion) {
      const { groups } = state(tenant)
      if (groups.get(record.id)?.version !== expectedVersion) return false
      groups.put(copy(record), undo)
      return true
    },

    async remove(tenant, id) {
      const { groups } = state(tenant)
      if (groups.get(id) === undefined) return false
      groups.delete(id, undo)
      return true
    },

    async briefs(tenant, ids) {
      const { groups } = state(tenant)
      const briefs = new Map<string, GroupBrief>()
      for (const id of ids) {
        const record = groups.get(id)
        if (record !== undefined) briefs.set(id, { id, displayName: record.displayName })
      }
      return briefs
    },

    list: async (tenant, query) => {
      const page = list(state(tenant), query)
      return { ...page, records: page.records.map(copy) }
    },
  }
}

function list(tenant: TenantState, query: ListQuery): ListedRecords<GroupRecord> {
  const needs = referenceNeeds(query.filter, query.sort?.path)
  return listPage(candidates(tenant, query), query, (record) => {
    if (!needs.members) return recordResource(record)
    return recordResource(record, { members: memberRows(tenant, record.id) })
  })
}

/** A subset of the groups, in default order, that contains every match of the filter. */
function candidates(
  { groups, relation }: TenantState,
  { filter }: ListQuery,
): readonly GroupRecord[] {
  const name = requiredValue(filter, 'displayName')
  if (name !== undefined) return groups.named(name)
  const externalId = requiredValue(filter, 'externalId')
  if (externalId !== undefined) return groups.withExternalId(externalId)
  const member = requiredValue(filter, 'members.value')
  if (member === undefined) return groups.all()
  const owners = relation.groupsOf(member)
  return groups.all().filter(({ id }) => owners.has(id))
}

function copy(record: GroupRecord): GroupRecord {
  const { created, lastModified } = record
  const twin = { ...record, created: new Date(created), lastModified: new Date(lastModified) }
  cacheParsedData(twin, recordData(record))
  return twin
}
