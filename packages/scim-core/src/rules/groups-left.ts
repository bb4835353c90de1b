import type { GroupRecord } from '../store/groups.ts'
import type { ScimStore } from '../store/scim-store.ts'
import { laterThan, type Call } from './call.ts'
import { type PendingEvent } from './pending-event.ts'
import { retryUnless } from './with-retry.ts'
import { leftEvent } from './user-events.ts'

/**
 * Locks the groups of a user (or nested group) in id order. A removal takes these locks before its own,
 * like every membership change: groups, then members, then users.
 */
export async function lockGroupsOf(
  tx: ScimStore,
  { tenant }: Call,
  memberId: string,
): Promise<ReadonlyMap<string, GroupRecord>> {
  const briefs = (await tx.members.groupsOf(tenant, [memberId])).get(memberId) ?? []
  const locked = new Map<string, GroupRecord>()
  for (const id of briefs.map((brief) => brief.id).toSorted()) {
    const group = await tx.groups.get(tenant, id, { forUpdate: true })
    if (group !== null) locked.set(id, group)
  }
  return locked
}

/**
 * Removes a user (or nested group), which is already locked, from all its groups; each of them counts as
 * changed. The transaction is retried if a group was joined after the groups were locked.
 */
export async function leaveGroups(
  tx: ScimStore,
  call: Call,
  {
    memberId,
    groups,
  }: { readonly memberId: string; readonly groups: ReadonlyMap<string, GroupRecord> },
): Promise<readonly PendingEvent[]> {
  const left = await tx.members.removeUser(call.tenant, memberId)
  for (const groupId of left) {
    const group = groups.get(groupId)
    if (group !== undefined) await touchGroup(tx, call, group)
    else retryUnless((await tx.groups.get(call.tenant, groupId)) === null)
  }
  return left.map((groupId) => leftEvent(groupId, memberId))
}

async function touchGroup(tx: ScimStore, { tenant, now }: Call, group: GroupRecord): Promise<void> {
  const next = {
    ...group,
    lastModified: laterThan(group.lastModified, now),
    version: group.version + 1,
  }
  retryUnless(await tx.groups.update(tenant, next, group.version))
}
