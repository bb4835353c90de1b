import { invalidValue, quoteValue, ScimError } from '../base/errors.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { Call } from './call.ts'

/** The group whose members change, within a transaction. */
interface ChangedGroup {
  readonly tx: ScimStore
  readonly call: Call
  readonly groupId: string
}

/** Maximum groups read to find a circle. */
const MAX_GROUPS = 10_000

/** Not an address: a lock for all changes by which a group of a tenant joins another. */
const LOCK = 'groups in groups'

/**
 * Waits until no other transaction of the tenant puts a group into a group: two that are right alone can close
 * a circle together.
 */
export async function lockNesting({ tx, call }: ChangedGroup): Promise<void> {
  await tx.users.lockAddresses?.(call.tenant, [LOCK])
}

/**
 * Refuses members that contain the group, over any number of groups. Circles that exist already are passed
 * once.
 * @throws ScimError invalidValue; tooMany above 10,000 groups
 */
export async function assertNoCircle(
  { tx, call, groupId }: ChangedGroup,
  joined: ReadonlySet<string>,
): Promise<void> {
  if (joined.size === 0) return
  const seen = new Set([groupId])
  let level: readonly string[] = [groupId]
  while (level.length > 0) {
    if (level.some((id) => joined.has(id))) throw await containsItself({ tx, call, groupId })
    const parents = await tx.members.groupsOf(call.tenant, level)
    const next = new Set([...parents.values()].flat().map(({ id }) => id))
    level = [...next].filter((id) => !seen.has(id))
    for (const id of level) seen.add(id)
    if (seen.size > MAX_GROUPS) {
      throw new ScimError('too_many', 'The group is in too many groups to be checked.')
    }
  }
}

async function containsItself({ tx, call, groupId }: ChangedGroup): Promise<ScimError> {
  const group = await tx.groups.get(call.tenant, groupId)
  return invalidValue(`The group "${quoteValue(group?.displayName ?? '')}" would contain itself.`)
}
