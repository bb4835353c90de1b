import { invalidValue, ScimError } from '../base/errors.ts'
import { fold } from '../base/fold.ts'
import { pathsOf, referenceNeeds } from '../resource/record-resource.ts'
import { createGroupStore } from '../memory/groups.ts'
import { requiredValue } from '../memory/list.ts'
import { createMemberStore } from '../memory/members.ts'
import { createUserStore } from '../memory/users.ts'
import type { ListQuery } from '../store/list-query.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { UserWrite } from '../store/users.ts'
import type { ScanRequest } from './types.ts'
import type { RowTime, Workspace } from './workspace.ts'

/** The store of one transaction: the in-memory store over the rows each call needs. */
export function createScanSession(
  workspace: Workspace,
  onUserWrite: (change: UserWrite) => void | Promise<void>,
): Pick<ScimStore, 'users' | 'groups' | 'members'> {
  const { need, touch, moved, state, isFresh, lacks } = workspace
  const memory = { state: () => state, undo: [], onUserWrite }
  const users = createUserStore(memory)
  const groups = createGroupStore(memory)
  const members = createMemberStore(memory)
  const none = new Date(0)
  const leave = (kind: 'added' | 'removed', groupId: string, ids: readonly string[], at = none) => {
    for (const memberId of ids) moved(kind, { groupId, memberId, addedAt: at })
  }
  /** Loads the members that are not loaded yet; most are users. */
  const needMembers = async (groupIds: readonly string[]): Promise<void> => {
    const ids = new Set(groupIds.flatMap((id) => [...state.relation.membersOf(id).keys()]))
    const unknown = (): string[] =>
      [...ids].filter(
        (id) => state.users.get(id) === undefined && state.groups.get(id) === undefined,
      )
    const unread = unknown()
    if (unread.length > 0) await need({ users: { ids: unread } })
    const nested = unknown()
    if (nested.length > 0) await need({ groups: { ids: nested } })
  }

  return {
    users: {
      async get(tenant, id) {
        await need({ users: { ids: [id] } })
        return users.get(tenant, id)
      },
      async insert(tenant, record) {
        await need({ users: { userNameKey: record.userNameKey } })
        touch('users', record.id)
        return users.insert(tenant, record)
      },
      async update(tenant, record, expectedVersion, options) {
        await need({ users: { ids: [record.id] } })
        if (state.users.get(record.id)?.userNameKey !== record.userNameKey) {
          await need({ users: { userNameKey: record.userNameKey } })
        }
        touch('users', record.id)
        return users.update(tenant, record, expectedVersion, options)
      },
      async remove(tenant, id) {
        await need({ users: { ids: [id] } })
        touch('users', id)
        return users.remove(tenant, id)
      },
      async briefs(tenant, ids) {
        if (ids.length > 0) await need({ users: { ids } })
        return users.briefs(tenant, ids)
      },
      async list(tenant, query) {
        const { totalUsers } = await need(userRequest(query, isFresh()))
        assertTimes(query, (time) => lacks('users', time))
        const page = await users.list(tenant, totalUsers === undefined ? query : firstOf(query))
        return totalUsers === undefined ? page : { ...page, total: totalUsers }
      },
    },

    groups: {
      async get(tenant, id) {
        await need({ groups: { ids: [id] } })
        return groups.get(tenant, id)
      },
      async insert(tenant, record) {
        await need({ groups: { displayNameKey: record.displayNameKey } })
        touch('groups', record.id)
        return groups.insert(tenant, record)
      },
      async update(tenant, record, expectedVersion) {
        await need({ groups: { ids: [record.id] } })
        if (state.groups.get(record.id)?.displayNameKey !== record.displayNameKey) {
          await need({ groups: { displayNameKey: record.displayNameKey } })
        }
        touch('groups', record.id)
        return groups.update(tenant, record, expectedVersion)
      },
      async remove(tenant, id) {
        await need({ groups: { ids: [id] } })
        touch('groups', id)
        return groups.remove(tenant, id)
      },
      async briefs(tenant, ids) {
        if (ids.length > 0) await need({ groups: { ids } })
        return groups.briefs(tenant, ids)
      },
      async list(tenant, query) {
        const { totalGroups } = await need(groupRequest(query, isFresh()))
        assertTimes(query, (time) => lacks('groups', time))
        const page = await groups.list(tenant, totalGroups === undefined ? query : firstOf(query))
        return totalGroups === undefined ? page : { ...page, total: totalGroups }
      },
    },

    members: {
      async add(tenant, groupId, memberIds, at) {
        await need({ members: { groupIds: [groupId] } })
        const added = await members.add(tenant, groupId, memberIds, at)
        leave('added', groupId, added, at)
        return added
      },
      async remove(tenant, groupId, memberIds) {
        await need({ members: { groupIds: [groupId] } })
        const removed = await members.remove(tenant, groupId, memberIds)
        leave('removed', groupId, removed)
        return removed
      },
      async clear(tenant, groupId) {
        await need({ members: { groupIds: [groupId] } })
        const ids = [...state.relation.membersOf(groupId).keys()]
        const count = await members.clear(tenant, groupId)
        leave('removed', groupId, ids)
        return count
      },
      async removeUser(tenant, memberId) {
        await need({ members: { memberIds: [memberId] } })
        const left = await members.removeUser(tenant, memberId)
        for (const groupId of left) leave('removed', groupId, [memberId])
        return left
      },
      async count(tenant, groupId) {
        await need({ members: { groupIds: [groupId] } })
        return members.count(tenant, groupId)
      },
      async countAll(tenant, limit) {
        await need({ members: 'all' })
        return members.countAll(tenant, limit)
      },
      async has(tenant, groupId, memberIds) {
        await need({ members: { groupIds: [groupId] } })
        return members.has(tenant, groupId, memberIds)
      },
      async *list(tenant, groupId, page) {
        await need({ members: { groupIds: [groupId] } })
        await needMembers([groupId])
        yield* members.list(tenant, groupId, page)
      },
      async ofGroups(tenant, groupIds, limit) {
        await need({ members: { groupIds } })
        const sizes = groupIds.map((id) => state.relation.membersOf(id).size)
        if (sizes.reduce((sum, size) => sum + size, 0) > limit) return null
        await needMembers(groupIds)
        return members.ofGroups(tenant, groupIds, limit)
      },
      async groupsOf(tenant, memberIds) {
        if (memberIds.length === 0) return new Map()
        // Groups are loaded together with the memberships of a page: a second load costs more than some
        // extra rows.
        if (memberIds.length > 1) await need({ members: { memberIds }, groups: 'all' })
        else await need({ members: { memberIds } })
        const ids = new Set(memberIds.flatMap((id) => [...state.relation.groupsOf(id)]))
        const rest = [...ids].filter((id) => state.groups.get(id) === undefined)
        if (rest.length > 0) await need({ groups: { ids: rest } })
        return members.groupsOf(tenant, memberIds)
      },
    },
  }
}

/**
 * A wrong, empty list would end an import of changes unnoticed.
 * @throws ScimError invalidFilter, invalidValue
 */
function assertTimes({ filter, sort }: ListQuery, lacks: (time: RowTime) => boolean): void {
  const filtered = new Set((filter === undefined ? [] : pathsOf(filter)).map(({ key }) => key))
  for (const time of ['created', 'lastModified'] as const) {
    const key = `meta.${time}`
    const detail = `This store keeps no ${key}.`
    if (filtered.has(key) && lacks(time)) throw new ScimError('invalid_filter', detail)
    if (sort?.path.key === key && lacks(time)) throw invalidValue(detail)
  }
}

/** A page already cut by the host is at the start of the loaded rows. */
function firstOf(query: ListQuery): ListQuery {
  return { ...query, offset: 0 }
}

function userRequest(query: ListQuery, isFresh: boolean): Partial<ScanRequest> {
  const { filter } = query
  const needs = referenceNeeds(filter, query.sort?.path)
  const related: Partial<ScanRequest> = needs.groups ? { groups: 'all', members: 'all' } : {}
  if (needs.manager) return { ...related, users: 'all' }
  const page = isFresh ? pageOf(query) : null
  if (page !== null) return { users: page }
  const id = requiredValue(filter, 'id')
  if (id !== undefined) return { ...related, users: { ids: [id] } }
  const userNameKey = requiredValue(filter, 'userName')
  if (userNameKey !== undefined) return { ...related, users: { userNameKey } }
  const externalId = requiredValue(filter, 'externalId')
  if (externalId !== undefined) return { ...related, users: { externalId } }
  const addresses = requiredAddresses(filter)
  if (addresses !== undefined) return { ...related, users: { addressKeys: addresses.map(fold) } }
  return { ...related, users: 'all' }
}

/** Addresses of which each user that a filter matches has one. */
function requiredAddresses(filter: ListQuery['filter']): readonly string[] | undefined {
  const terms =
    filter?.kind === 'element' && filter.where.kind === 'or' ? filter.where.terms : [filter]
  const values = terms.map((term) => requiredValue(term, 'emails.value'))
  return values.every((value) => value !== undefined) ? values : undefined
}

function groupRequest(query: ListQuery, isFresh: boolean): Partial<ScanRequest> {
  const { filter } = query
  const needs = referenceNeeds(filter, query.sort?.path)
  if (needs.members) return { users: 'all', groups: 'all', members: 'all' }
  const page = isFresh ? pageOf(query) : null
  if (page !== null) return { groups: page }
  const id = requiredValue(filter, 'id')
  if (id !== undefined) return { groups: { ids: [id] } }
  const displayNameKey = requiredValue(filter, 'displayName')
  if (displayNameKey !== undefined) return { groups: { displayNameKey } }
  const externalId = requiredValue(filter, 'externalId')
  return { groups: externalId === undefined ? 'all' : { externalId } }
}

function pageOf({ filter, sort, after, offset = 0, limit }: ListQuery) {
  if (filter !== undefined || sort !== undefined || after !== undefined) return null
  return { page: { offset, limit } }
}
