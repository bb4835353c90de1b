import type { UserRecord } from '../../store/users.ts'
import type { Caller } from '../base/caller.ts'
import type { ServiceKit } from '../base/kit.ts'
import { refuse } from '../../refusal.ts'
import { addSession, type SignIn } from './session.ts'
import { takeAttempt, type SignInLimiter } from './sign-in-limiter.ts'
import { hashed } from './users.ts'

/** A password that its owner changes. */
export interface PasswordChange {
  readonly password: string
  /** Checked where it is given (AB-63). */
  readonly currentPassword: string | null
  readonly clientAddress: string
}

/** Reset Password (users.md; abuse.md AB-63, AB-64). */
export interface PasswordResetService {
  /** @throws Refusal 400 when it is another user's, 403 for an API key */
  check(caller: Caller, id: string): void
  /**
   * Ends every other sign-in of the caller. The one that asked keeps its access token to its end, and a
   * new one takes its place; null for callers without a sign-in.
   * @throws Refusal 400 for a wrong current password, or the same one again; 429 for too many wrong ones
   */
  reset(
    caller: Caller,
    change: PasswordChange,
  ): Promise<{ user: UserRecord; session: SignIn | null }>
}

export function createPasswordResetService(
  kit: ServiceKit,
  limiter: SignInLimiter,
): PasswordResetService {
  const { store, settings } = kit
  /** A stolen token is no way to guess the password faster than at the door. */
  const checkCurrent = async (user: UserRecord, current: string, address: string) => {
    const isLimited = settings.loginRateLimit
    if (isLimited) await takeAttempt(limiter, address, user.username)
    if (!(await matches(kit, user, current))) throw refuse(400, 'The current password is wrong')
    if (isLimited) await limiter.giveBack(address, user.username)
  }

  return {
    check(caller, id) {
      if (caller.id !== id) throw refuse(400, "You can't change another user's password")
      if (caller.via === 'key') throw refuse(403, 'A password cannot be changed with an API key')
    },
    async reset(caller, { password, currentPassword, clientAddress }) {
      const user = await store.users.get(caller.id)
      if (user === null) throw refuse(404, 'User not found')
      if (currentPassword !== null) await checkCurrent(user, currentPassword, clientAddress)
      if (await matches(kit, user, password)) {
        throw refuse(400, "You can't use your current password")
      }
      const passwordHash = await hashed(kit, password)
      const { signInId = null } = caller
      return await store.transaction(async (tx) => {
        if (signInId === null) await tx.refreshFamilies.removeOfUser(user.id)
        else await tx.refreshFamilies.keepOnly(user.id, signInId)
        const { tokenEpoch } = (await tx.users.get(user.id)) ?? user
        const patch = { passwordHash, tokenEpoch: tokenEpoch + 1 }
        const changed = (await tx.users.update(user.id, patch)) ?? user
        const session = signInId === null ? null : await addSession(kit, tx, changed)
        return { user: changed, session }
      })
    },
  }
}

async function matches(
  { passwords }: ServiceKit,
  user: UserRecord,
  password: string,
): Promise<boolean> {
  if (user.passwordHash === null || passwords === undefined) return false
  return await passwords.verify(password, user.passwordHash)
}
