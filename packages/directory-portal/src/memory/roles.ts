import type { ScimStore } from '@x/scim-core'
import type { RoleSettings, RoleStore } from '../store/role-store.ts'

/** The roles of a store in memory; what a transaction told stays if it fails. */
export function createMemoryRoles(directory: () => ScimStore): RoleStore {
  const settings = new Map<string, RoleSettings>()
  const told = new Map<string, readonly string[]>()
  const keyOf = (tenant: string, userId: string): string => JSON.stringify([tenant, userId])
  return {
    within(handle, work) {
      const run = (tx: ScimStore) =>
        work({
          handle: tx,
          directory: tx,
          settings: async (tenant) => settings.get(tenant) ?? null,
          async save(tenant, given) {
            settings.set(tenant, given)
          },
          async people(tenant, ids) {
            const people = new Map()
            for (const id of new Set(ids)) {
              const user = await tx.users.get(tenant, id)
              const roles = told.get(keyOf(tenant, id)) ?? []
              people.set(id, { isActive: user?.active === true, told: roles })
            }
            return people
          },
          async tell(tenant, roles) {
            for (const [id, own] of roles) told.set(keyOf(tenant, id), own)
          },
        })
      return handle === undefined
        ? directory().transaction('', (tx) => run(tx))
        : run(handle as ScimStore)
    },
    told: (tenant, ids) => new Map(ids.map((id) => [id, told.get(keyOf(tenant, id)) ?? []])),
    applying: (limit) =>
      [...settings]
        .filter(([, { applying }]) => applying !== null)
        .map(([tenant]) => tenant)
        .slice(0, limit),
  }
}
