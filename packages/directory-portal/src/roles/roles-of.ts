import type { RoleSettings, RoleTransaction } from '../store/role-store.ts'

/** The roles that people were told to have, and those that rules give them now; both sorted. */
export async function rolesOf(
  { people, directory }: Pick<RoleTransaction, 'people' | 'directory'>,
  {
    tenant,
    ids,
    settings,
  }: { readonly tenant: string; readonly ids: readonly string[]; readonly settings: RoleSettings },
): Promise<{ userId: string; before: readonly string[]; after: readonly string[] }[]> {
  if (ids.length === 0) return []
  const found = await people(tenant, ids)
  const active = ids.filter((id) => found.get(id)?.isActive === true)
  const groups =
    settings.rules.length === 0 ? new Map() : await directory.members.groupsOf(tenant, active)
  const given = new Map<string, string[]>()
  for (const { groupId, role } of settings.rules)
    given.set(groupId, [...(given.get(groupId) ?? []), role])
  return [...found].map(([userId, { isActive, told }]) => {
    const own = ((groups.get(userId) ?? []) as { id: string }[]).flatMap(
      ({ id }) => given.get(id) ?? [],
    )
    const usual = settings.default === null ? [] : [settings.default]
    const after = own.length > 0 ? [...new Set(own)].toSorted() : usual
    return { userId, before: told, after: isActive ? after : [] }
  })
}

export const sameRoles = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((role, at) => role === b[at])
