import { ScimConfigError } from '../base/errors.ts'
import type { ScimStore } from '../store/scim-store.ts'

/** The effect of deleting a user. @throws ScimConfigError if the store does not support it */
export function deletion<Mode extends string>(deleteUser: Mode, store: ScimStore): Mode {
  if (deleteUser === 'tombstone') assertKeepsDeleted(store)
  return deleteUser
}

/** @throws ScimConfigError if the store cannot keep deleted users as tombstones */
export function assertKeepsDeleted({ keepsDeleted }: ScimStore): void {
  if (keepsDeleted !== false) return
  throw new ScimConfigError(
    'deleteUser',
    "deleteUser 'tombstone' needs a store that keeps deleted users; a scan store says so with keepsDeleted",
  )
}
