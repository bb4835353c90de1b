import type { Db, Role } from './tables.ts'

/** Groups of the directory and what they make of a member; the first that fits counts. */
const ROLES: readonly (readonly [group: string, role: Role])[] = [
  ['App Admins', 'admin'],
  ['App Editors', 'editor'],
]

/** Tells the rest of the app, in the transaction of the change. */
export async function announce(
  tx: Db,
  organisation: string,
  { type, userId }: { readonly type: string; readonly userId: string },
): Promise<void> {
  const row = { organisation_id: organisation, type, user_id: userId }
  await tx.insertInto('outbox').values(row).execute()
}

/** Gives users the role that their groups call for. */
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
