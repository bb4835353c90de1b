import { compareCodePoints } from '../base/fold.ts'
import type { UndoLog } from './table.ts'

/** Memberships of one tenant: groups to members with the time they were added, and the reverse. */
export interface Relation {
  /** Number of memberships of all groups. */
  size(): number
  membersOf(groupId: string): ReadonlyMap<string, number>
  groupsOf(memberId: string): ReadonlySet<string>
  /** By time added, then id. */
  ordered(groupId: string): readonly string[]
  add(groupId: string, memberId: string, at: number, undo: UndoLog): boolean
  remove(groupId: string, memberId: string, undo: UndoLog): boolean
}

const NO_MEMBERS: ReadonlyMap<string, number> = new Map()
const NO_GROUPS: ReadonlySet<string> = new Set()

export function createRelation(): Relation {
  const members = new Map<string, Map<string, number>>()
  const groups = new Map<string, Set<string>>()
  const orders = new Map<string, readonly string[]>()

  const link = (groupId: string, memberId: string, at: number): void => {
    orders.delete(groupId)
    const byGroup = members.get(groupId) ?? new Map<string, number>()
    members.set(groupId, byGroup.set(memberId, at))
    groups.set(memberId, (groups.get(memberId) ?? new Set<string>()).add(groupId))
  }
  const unlink = (groupId: string, memberId: string): void => {
    orders.delete(groupId)
    members.get(groupId)?.delete(memberId)
    const byMember = groups.get(memberId)
    byMember?.delete(groupId)
    if (byMember?.size === 0) groups.delete(memberId)
  }

  return {
    size: () => [...members.values()].reduce((sum, byGroup) => sum + byGroup.size, 0),
    membersOf: (groupId) => members.get(groupId) ?? NO_MEMBERS,
    groupsOf: (memberId) => groups.get(memberId) ?? NO_GROUPS,
    ordered(groupId) {
      const known = orders.get(groupId)
      if (known !== undefined) return known
      const order = [...(members.get(groupId) ?? [])]
        .toSorted(([a, at], [b, bt]) => at - bt || compareCodePoints(a, b))
        .map(([id]) => id)
      orders.set(groupId, order)
      return order
    },
    add(groupId, memberId, at, undo) {
      if (members.get(groupId)?.has(memberId) === true) return false
      link(groupId, memberId, at)
      undo.push(() => unlink(groupId, memberId))
      return true
    },
    remove(groupId, memberId, undo) {
      const at = members.get(groupId)?.get(memberId)
      if (at === undefined) return false
      unlink(groupId, memberId)
      undo.push(() => link(groupId, memberId, at))
      return true
    },
  }
}
