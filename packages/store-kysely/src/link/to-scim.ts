import { FlowError } from '@x/flow-engine/graph'
import type { UserChange, UserRecord as FlowUser } from '@x/flow-engine'
import { userWrite, type ScimStore, type UserRecord, type UserWrite } from '@x/scim-core'

/**
 * Writes the SCIM user of a managed flow user, in the transaction of its change. Gives what was
 * written, null when nothing had to be: the user is not managed, or only its own fields changed.
 */
export async function writeScimUser(
  scim: ScimStore,
  tenant: string,
  { before, after }: UserChange,
): Promise<UserWrite | null> {
  const id = (after ?? before)?.id
  if (before === null || id === undefined) return null
  const known = await scim.users.get(tenant, id, { forUpdate: true })
  if (known === null) return null
  if (after === null) return removeScimUser(scim, known)
  if (after.username !== before.username) {
    throw new FlowError('invalid_request', 'The username is managed by the directory')
  }
  if (after.isActive === before.isActive || after.isActive === (known.active === true)) return null
  const changed = withActive(known, after)
  await scim.users.update(tenant, changed, known.version)
  return userWrite(known, changed)
}

/** Groups lose the member (SU-14). */
async function removeScimUser(scim: ScimStore, known: UserRecord): Promise<UserWrite> {
  await scim.members.removeUser(known.tenant, known.id)
  await scim.users.remove(known.tenant, known.id)
  return userWrite(known, null)
}

/** An effective change: one version more, a later time (SC-20). */
function withActive(known: UserRecord, after: FlowUser): UserRecord {
  const earliest = known.lastModified.getTime() + 1
  return {
    ...known,
    active: after.isActive,
    version: known.version + 1,
    lastModified: new Date(Math.max(after.updatedAt.getTime(), earliest)),
  }
}
