import { endSessions } from '../../store/end-sessions.ts'
import type { UserRecord } from '../../store/users.ts'
import type { Caller } from '../base/caller.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { refuse } from '../../refusal.ts'
import { addSession, type SignIn } from './session.ts'
import { takeAttempt, type SignInLimiter } from './sign-in-limiter.ts'
import { hashed } from './users.ts'

/** A password change by its owner. */
export interface PasswordChange {
  readonly password: string
  /** Checked if given. */
  readonly currentPassword: string | null
  readonly clientAddress: string
}

/** Reset Password. */
export interface PasswordResetService {
  /** @throws Refusal 400 for another user, 403 for an API key */
  check(caller: Caller, id: string): void
  /**
   * Ends all other sign-ins of the caller. The current one keeps its access token until it expires and is
   * replaced by a new one; null for callers without a sign-in.
   * @throws Refusal 400 for a wrong current password, or an unchanged one; 429 for too many wrong attempts
   */
  reset(
    caller: Caller,
    change: PasswordChange,
  ): Promise<{ user: UserRecord; session: SignIn | null }>
}

export function createPasswordResetService(
  deps: ServiceDependencies,
  limiter: SignInLimiter,
): PasswordResetService {
  const { store, settings } = deps
  /** A stolen token must not allow faster password guessing than the sign-in itself. */
  const checkCurrent = async (user: UserRecord, current: string, address: string) => {
    const isLimited = settings.loginRateLimit
    if (isLimited) await takeAttempt(limiter, address, user.username)
    if (!(await matches(deps, user, current))) throw refuse(400, 'The current password is wrong')
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
      if (await matches(deps, user, password)) {
        throw refuse(400, "You can't use your current password")
      }
      const passwordHash = await hashed(deps, password)
      const { signInId = null } = caller
      return await store.transaction(async (tx) => {
        const now = (await tx.users.get(user.id)) ?? user
        const ended = await endSessions(tx, now, signInId)
        const changed = (await tx.users.update(user.id, { passwordHash, ...ended })) ?? user
        const session = signInId === null ? null : await addSession(deps, tx, changed)
        return { user: changed, session }
      })
    },
  }
}

async function matches(
  { passwords }: ServiceDependencies,
  user: UserRecord,
  password: string,
): Promise<boolean> {
  if (user.passwordHash === null || passwords === undefined) return false
  return await passwords.verify(password, user.passwordHash)
}
