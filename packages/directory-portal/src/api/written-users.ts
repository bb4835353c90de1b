import { isScimError, type UserResource } from '@x/scim-core'
import type { PortalParts } from './call.ts'

const CHUNK = 500

export const isActive = ({ active }: UserResource): boolean => active === true

/** The users that a connection wrote last, as they are now. */
export async function* writtenUsers(
  { store, service }: Pick<PortalParts, 'store' | 'service'>,
  tenant: string,
  connectionId: string,
): AsyncGenerator<UserResource> {
  for (let after = ''; ;) {
    const ids = await store.log.written(tenant, connectionId, { after, limit: CHUNK })
    for (const id of ids) {
      const user = await service.users.get(tenant, id)
      if (user !== null) yield user
    }
    const last = ids.at(-1)
    if (last === undefined || ids.length < CHUNK) return
    after = last
  }
}

/** Deactivates those of them who are active, as PATCH does; gives their number. */
export async function deactivateWritten(
  parts: Pick<PortalParts, 'store' | 'service'>,
  tenant: string,
  connectionId: string,
): Promise<number> {
  let count = 0
  for await (const user of writtenUsers(parts, tenant, connectionId)) {
    if (!isActive(user)) continue
    try {
      await parts.service.users.patch(tenant, user.id, [
        { op: 'replace', path: 'active', value: false },
      ])
      count += 1
    } catch (error) {
      // Removed meanwhile.
      if (!isScimError(error) || error.status !== 404) throw error
    }
  }
  return count
}
