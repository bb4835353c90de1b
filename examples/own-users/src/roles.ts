import type { Db, Role } from './tables.ts'

/** Roles by group of the directory; the first match counts. */
const ROLES: readonly (readonly [group: string, role: Role])[] = [
  ['App Admins', 'admin'],
  ['App Editors', 'editor'],
]

/** Called in the transaction of the change, to notify the rest of the app. */
export async function announce(
  tx: Db,
  organisation: string,
  { type, userId }: { readonly type: string; readonly userId: string },
): Promise<void> {
  const row = { organisation_id: organisation, type, user_id: userId }
  await tx.insertInto('outbox').values(row).execute()
}

/** Assigns users the role of their groups. */
export async function updateRoles(
  tx: Db,
  organisation: string,
  userIds: ReadonlySet<string>,
): Promise<void> {
  for (const userId of userIds) {
    const groups = await tx
      .selectFrom('directory_group_members as m')
      .innerJoin('directory_groups as g', 'g.id', 'm.group_id')
      .select('g.name')
      .where('m.user_id', '=', userId)
      .where('g.organisation_id', '=', organisation)
      .execute()
    const names = new Set(groups.map(({ name }) => name))
    const role = ROLES.find(([group]) => names.has(group))?.[1] ?? 'member'
    const { numUpdatedRows } = await tx
      .updateTable('memberships')
      .set({ role })
      .where('user_id', '=', userId)
      .where('organisation_id', '=', organisation)
      .where('role', '<>', role)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows > 0n) await announce(tx, organisation, { type: 'user.role_changed', userId })
  }
}
