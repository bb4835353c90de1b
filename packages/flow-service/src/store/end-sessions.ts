import type { FlowStore } from './flow-store.ts'
import type { UserRecord } from './users.ts'

/**
 * Ends the sessions of a user at once: refresh tokens, and with them the access tokens of each
 * sign-in, are invalid from now on. Call it in the transaction that sets a password or deactivates the user.
 * @param keep id of the one sign-in that continues
 * @returns the field to write with the user: it ends the access tokens that belong to no sign-in
 */
export async function endSessions(
  tx: FlowStore,
  user: UserRecord,
  keep: string | null = null,
): Promise<Pick<UserRecord, 'tokenEpoch'>> {
  if (keep === null) await tx.refreshFamilies.removeOfUser(user.id)
  else await tx.refreshFamilies.keepOnly(user.id, keep)
  return { tokenEpoch: user.tokenEpoch + 1 }
}
