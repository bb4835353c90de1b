import { FlowError } from '@x/flow-engine'
import type { UserChange, UserRecord as FlowUser } from '@x/flow-service/store'
import type { OwnUserWrite, ScimStore, UserRecord } from '@x/scim-core'
import type { UserLock } from '../flow/users.ts'

/**
 * Locks the SCIM user of a flow user that is about to be written, so that both sides take their locks in one
 * order: groups by id, SCIM users, flow users. Writes of other fields lock nothing here.
 */
export async function lockScimUser(
  scim: ScimStore,
  tenant: string,
  { id, patch }: UserLock,
): Promise<void> {
  if (patch === null) await lockGroups(scim, tenant, id)
  else if (patch.username === undefined && patch.isActive === undefined) return
  await scim.users.get(tenant, id, { forUpdate: true })
}

/**
 * Writes the SCIM user of a managed flow user, in the same transaction. Returns the change, or null if the
 * user is not managed or no shared field changed.
 */
export async function writeScimUser(
  scim: ScimStore,
  { tenant, at }: { readonly tenant: string; readonly at: Date },
  { before, after }: UserChange,
): Promise<OwnUserWrite | null> {
  const id = (after ?? before)?.id
  if (before === null || id === undefined) return null
  if (after?.username === before.username && after.isActive === before.isActive) return null
  const known = await scim.users.get(tenant, id, { forUpdate: true })
  if (known === null) return null
  if (after === null) return removeScimUser(scim, known, at)
  if (after.username !== before.username) {
    throw new FlowError('invalid_request', 'The username is managed by the directory')
  }
  if (after.isActive === (known.active === true)) return null
  const changed = withActive(known, after)
  await scim.users.update(tenant, changed, known.version)
  return { before: known, after: changed }
}

async function lockGroups(scim: ScimStore, tenant: string, id: string): Promise<void> {
  const groups = (await scim.members.groupsOf(tenant, [id])).get(id) ?? []
  for (const groupId of groups.map((group) => group.id).toSorted()) {
    await scim.groups.get(tenant, groupId, { forUpdate: true })
  }
}

/**
 * Removes the member from its groups, which count as changed. They are locked in id order,
 * before the user.
 */
async function removeScimUser(scim: ScimStore, known: UserRecord, at: Date): Promise<OwnUserWrite> {
  const { tenant, id } = known
  const groupsLeft: string[] = []
  for (const groupId of await scim.members.removeUser(tenant, id)) {
    const group = await scim.groups.get(tenant, groupId, { forUpdate: true })
    if (group === null) continue
    const earliest = group.lastModified.getTime() + 1
    const changed = {
      ...group,
      version: group.version + 1,
      lastModified: new Date(Math.max(at.getTime(), earliest)),
    }
    await scim.groups.update(tenant, changed, group.version)
    groupsLeft.push(groupId)
  }
  await scim.users.remove(tenant, id)
  return { before: known, after: null, groupsLeft }
}

/** An effective change: a new version and a later time. */
function withActive(known: UserRecord, after: FlowUser): UserRecord {
  const earliest = known.lastModified.getTime() + 1
  return {
    ...known,
    active: after.isActive,
    version: known.version + 1,
    lastModified: new Date(Math.max(after.updatedAt.getTime(), earliest)),
  }
}
