import type { ScimStore } from '../store/scim-store.ts'

/**
 * The id of a row to insert: that of the store if it gives out ids, else `made`.
 * @throws Error naming `newId` for an id that is no id, or belongs to another row
 */
export async function newIdOf(
  tx: ScimStore,
  tenant: string,
  { kind, made }: { readonly kind: 'user' | 'group'; readonly made: string },
): Promise<string> {
  if (tx.newId === undefined) return made
  const id: unknown = await tx.newId(kind)
  if (typeof id !== 'string' || !/^[^/]{1,128}$/s.test(id))
    throw new Error(`newId must return 1 to 128 characters without /, got ${JSON.stringify(id)}`)
  const found = kind === 'user' ? await tx.users.get(tenant, id) : await tx.groups.get(tenant, id)
  if (found !== null) throw new Error(`newId returned the id of another ${kind}: ${id}`)
  return id
}
