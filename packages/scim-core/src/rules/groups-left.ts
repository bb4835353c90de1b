import type { ScimStore } from '../store/scim-store.ts'
import { assertWritten, laterThan, pending, type Call, type PendingEvent } from './call.ts'

/** Removes a user (or nested group) from all its groups, each of which counts as changed. */
export async function leaveGroups(
  tx: ScimStore,
  call: Call,
  memberId: string,
): Promise<readonly PendingEvent[]> {
  const groupIds = await tx.members.removeUser(call.tenant, memberId)
  for (const groupId of groupIds) await touchGroup(tx, call, groupId)
  return groupIds.map((groupId) =>
    pending('group.members.changed', groupId, () => ({
      added: [],
      removed: [memberId],
      addedCount: 0,
      removedCount: 1,
    })),
  )
}

async function touchGroup(tx: ScimStore, { tenant, now }: Call, id: string): Promise<void> {
  const group = await tx.groups.get(tenant, id, { forUpdate: true })
  if (group === null) return
  const next = {
    ...group,
    lastModified: laterThan(group.lastModified, now),
    version: group.version + 1,
  }
  assertWritten(await tx.groups.update(tenant, next, group.version))
}
