import { recordData, recordDisplay, cacheParsedData } from '../base/document.ts'
import { recordResource, referenceNeeds } from '../resource/record-resource.ts'
import { ENTERPRISE_URN } from '../schema/enterprise.ts'
import type { ListedRecords, ListQuery } from '../store/list-query.ts'
import {
  userWrite,
  type UserSummary,
  type UserRecord,
  type UserStore,
  type UserUpdateOptions,
} from '../store/users.ts'
import { requiredValue, listPage } from './list.ts'
import type { Session } from './session.ts'
import { groupBriefs, type TenantState } from './tenant.ts'

/** In-memory users within a session. */
export function createUserStore({ state, undo, onUserWrite }: Session): UserStore {
  const write = (
    before: UserRecord | null,
    after: UserRecord | null,
    options?: UserUpdateOptions,
  ): void | Promise<void> =>
    onUserWrite(userWrite(before && copy(before), after && copy(after), options))

  return {
    get: async (tenant, id) => {
      const record = state(tenant).users.get(id)
      return record === undefined ? null : copy(record)
    },

    async insert(tenant, record) {
      state(tenant).users.put(copy(record), undo)
      await write(null, record)
    },

    async update(tenant, record, expectedVersion, options) {
      const { users, tombstones } = state(tenant)
      const before = users.get(record.id)
      if (before?.version !== expectedVersion) return false
      if (record.deletedAt === null) users.put(copy(record), undo)
      else {
        users.delete(record.id, undo)
        tombstones.set(record.id, copy(record))
        undo.push(() => tombstones.delete(record.id))
      }
      await write(before, record, options)
      return true
    },

    async remove(tenant, id) {
      const { users } = state(tenant)
      const before = users.get(id)
      if (before === undefined) return false
      users.delete(id, undo)
      await write(before, null)
      return true
    },

    async briefs(tenant, ids) {
      const { users } = state(tenant)
      const briefs = new Map<string, UserSummary>()
      for (const id of ids) {
        const record = users.get(id)
        if (record !== undefined) briefs.set(id, { id, display: recordDisplay(record) })
      }
      return briefs
    },

    wasDeleted: async (tenant, { by, value }) =>
      [...state(tenant).tombstones.values()].some((record) => record[by] === value),

    list: async (tenant, query) => {
      const page = list(state(tenant), query)
      return { ...page, records: page.records.map(copy) }
    },
  }
}

function list(tenant: TenantState, query: ListQuery): ListedRecords<UserRecord> {
  const needs = referenceNeeds(query.filter, query.sort?.path)
  return listPage(candidates(tenant, query), query, (record) => {
    const manager = needs.manager ? managerOf(tenant, record) : undefined
    return recordResource(record, {
      ...(needs.groups && { groups: groupBriefs(tenant, record.id) }),
      ...(manager && { manager }),
    })
  })
}

/** A subset of the users, in default order, that contains every match of the filter. */
function candidates(
  { users, relation }: TenantState,
  { filter }: ListQuery,
): readonly UserRecord[] {
  const name = requiredValue(filter, 'userName')
  if (name !== undefined) return users.named(name)
  const externalId = requiredValue(filter, 'externalId')
  if (externalId !== undefined) return users.withExternalId(externalId)
  const address = requiredValue(filter, 'emails.value')
  if (address !== undefined) return users.withAddress(address)
  const id = requiredValue(filter, 'id')
  const record = id === undefined ? undefined : users.get(id)
  if (id !== undefined) return record === undefined ? [] : [record]
  const group = requiredValue(filter, 'groups.value')
  if (group === undefined) return users.all()
  const members = relation.membersOf(group)
  return users.all().filter((user) => members.has(user.id))
}

function managerOf({ users }: TenantState, record: UserRecord): UserSummary | undefined {
  const extension = recordData(record)[ENTERPRISE_URN]
  if (typeof extension !== 'object' || extension === null) return undefined
  const manager: unknown = Reflect.get(extension, 'manager')
  const id: unknown = typeof manager === 'object' && manager && Reflect.get(manager, 'value')
  const found = typeof id === 'string' ? users.get(id) : undefined
  return found && { id: found.id, display: recordDisplay(found) }
}

function copy(record: UserRecord): UserRecord {
  const { created, lastModified, deletedAt } = record
  const twin = {
    ...record,
    created: new Date(created),
    lastModified: new Date(lastModified),
    deletedAt: deletedAt && new Date(deletedAt),
  }
  cacheParsedData(twin, recordData(record))
  return twin
}
