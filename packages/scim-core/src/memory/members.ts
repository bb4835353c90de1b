import type { MemberStore } from '../store/members.ts'
import type { Session } from './session.ts'
import { groupBriefs, memberRow, memberRows } from './tenant.ts'

/** In-memory memberships within a session. */
export function createMemberStore({
  state,
  undo,
}: Session): MemberStore & Required<Pick<MemberStore, 'ofGroups' | 'countAll'>> {
  return {
    async add(tenant, groupId, memberIds, at) {
      const { relation } = state(tenant)
      return memberIds.filter((id) => relation.add(groupId, id, at.getTime(), undo))
    },

    async remove(tenant, groupId, memberIds) {
      const { relation } = state(tenant)
      return memberIds.filter((id) => relation.remove(groupId, id, undo))
    },

    async clear(tenant, groupId) {
      const { relation } = state(tenant)
      const ids = [...relation.membersOf(groupId).keys()]
      for (const id of ids) relation.remove(groupId, id, undo)
      return ids.length
    },

    async removeUser(tenant, memberId) {
      const { relation } = state(tenant)
      const ids = [...relation.groupsOf(memberId)].toSorted()
      for (const id of ids) relation.remove(id, memberId, undo)
      return ids
    },

    count: async (tenant, groupId) => state(tenant).relation.membersOf(groupId).size,

    countAll: async (tenant, limit) => Math.min(limit, state(tenant).relation.size()),

    async has(tenant, groupId, memberIds) {
      const members = state(tenant).relation.membersOf(groupId)
      return new Set(memberIds.filter((id) => members.has(id)))
    },

    async *list(tenant, groupId, page) {
      const held = state(tenant)
      const ids = held.relation.ordered(groupId)
      const start = page?.after === undefined ? 0 : ids.indexOf(page.after) + 1
      const end = page === undefined ? ids.length : start + page.limit
      for (const id of ids.slice(start, end)) {
        const row = memberRow(held, id)
        if (row !== undefined) yield row
      }
    },

    async ofGroups(tenant, groupIds, limit) {
      const held = state(tenant)
      const { relation } = held
      const total = groupIds.reduce((sum, id) => sum + relation.membersOf(id).size, 0)
      return total > limit ? null : new Map(groupIds.map((id) => [id, memberRows(held, id)]))
    },

    async groupsOf(tenant, memberIds) {
      const held = state(tenant)
      return new Map(
        memberIds
          .map((id) => [id, groupBriefs(held, id)] as const)
          .filter(([, groups]) => groups.length > 0),
      )
    },
  }
}
