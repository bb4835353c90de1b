import { endSessions } from '../../store/end-sessions.ts'
import type { UserRecord } from '../../store/users.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { MAX_PASSWORD_LENGTH } from '../crypto/passwords.ts'
import { refuse } from '../../refusal.ts'
import { issueTokens, openSession, type SignIn } from './session.ts'
import { takeAttempt, type SignInLimiter } from './sign-in-limiter.ts'
import { saveEnvironmentVariables } from './environment-variables.ts'

/** Lifetime of an Auto Login token in seconds. */
const AUTO_LOGIN_SECONDS = 365 * 24 * 3600
/** A refresh token that is reused within this time gets the same response. */
const GRACE_MS = 30_000

/** Signing in and out. */
export interface LoginService {
  /** @throws Refusal 400, 401, 429 */
  signIn(input: { username: string; password: string; clientAddress: string }): Promise<SignIn>
  /**
   * Signs in a user identified by other means, as after a correct password.
   * @throws Refusal 403 if the user is not active
   */
  signInAs(userId: string): Promise<SignIn>
  /** @throws Refusal 401 */
  refresh(token: string | undefined): Promise<SignIn>
  /** Ends the sign-ins of these tokens, including their access tokens; invalid tokens are ignored. */
  signOut(tokens: {
    readonly refreshToken?: string | undefined
    readonly accessTokens?: readonly string[]
  }): Promise<void>
  /**
   * Ends every sign-in of a user; all access tokens, including those of Auto Login, become invalid
   * immediately.
   */
  signOutEverywhere(userId: string): Promise<void>
  /** @throws Refusal 400 */
  autoLogin(): Promise<SignIn>
  /** The superuser used by auto login and the environment key; null if there is none. */
  superuser(): Promise<UserRecord | null>
}

const CHALLENGE = { headers: { 'www-authenticate': 'Bearer' } }

export function createLoginService(
  deps: ServiceDependencies,
  limiter: SignInLimiter,
  environment: Readonly<Record<string, string>>,
): LoginService {
  const { store, tokens, settings, runtime } = deps
  const verify = createPasswordCheck(deps)
  const open = async (user: UserRecord): Promise<SignIn> => {
    const session = await openSession(deps, user)
    await saveEnvironmentVariables(deps, user.id, environment)
    return session
  }

  return {
    async signIn({ username, password, clientAddress }) {
      if (settings.loginRateLimit) await takeAttempt(limiter, clientAddress, username)
      const user = await store.users.findByUsername(username)
      if (!(await verify(user, password)) || user === null) {
        const at = runtime.now()
        deps.emit('signIn.failed', { at, id: user?.id ?? '', clientAddress })
        throw refuse(401, 'Incorrect username or password', CHALLENGE)
      }
      if (settings.loginRateLimit) await limiter.giveBack(clientAddress, username)
      if (!user.isActive) {
        throw user.lastLoginAt === null
          ? refuse(400, 'Waiting for approval')
          : refuse(401, 'Inactive user')
      }
      return await open(user)
    },
    async signInAs(userId) {
      const user = await store.users.get(userId)
      if (user?.isActive !== true) throw refuse(403, 'User account is inactive')
      return await open(user)
    },
    refresh: (token) => refreshSession(deps, token),
    async signOut({ refreshToken, accessTokens = [] }) {
      const refresh = refreshToken === undefined ? null : await tokens.verifyRefresh(refreshToken)
      if (refresh !== null) await store.refreshFamilies.remove(refresh.familyId)
      for (const token of accessTokens) {
        const access = await tokens.verifyAccess(token)
        if ('problem' in access || access.signInId === null) continue
        await store.refreshFamilies.remove(access.signInId)
      }
    },
    signOutEverywhere: (userId) =>
      store.transaction(async (tx) => {
        const user = await tx.users.get(userId)
        if (user !== null) await tx.users.update(userId, await endSessions(tx, user))
      }),
    async autoLogin() {
      if (!settings.autoLogin) {
        const message = 'Auto login is disabled. Please enable it in the settings'
        throw refuse(400, message, { body: { message, auto_login: false } })
      }
      const user = await findSuperuser(deps)
      if (user === null) throw refuse(400, "Super user hasn't been created")
      const updated = await store.users.update(user.id, { lastLoginAt: runtime.now() })
      return {
        user: updated ?? user,
        accessToken: await tokens.access(
          { userId: user.id, epoch: user.tokenEpoch, signInId: null },
          AUTO_LOGIN_SECONDS,
        ),
        refreshToken: null,
        accessExpires: null,
        refreshExpires: null,
      }
    },
    superuser: () => findSuperuser(deps),
  }
}

async function findSuperuser({ store, settings }: ServiceDependencies): Promise<UserRecord | null> {
  const named = await store.users.findByUsername(settings.superuser)
  return named?.isSuperuser === true ? named : await store.users.findSuperuser()
}

/**
 * Unknown names and users without a password take the same time as wrong passwords: every attempt
 * computes one hash and compares it with one.
 */
function createPasswordCheck({ passwords, store }: ServiceDependencies) {
  let dummy: Promise<string> | undefined
  return async (user: UserRecord | null, password: string): Promise<boolean> => {
    if (passwords === undefined || password.length > MAX_PASSWORD_LENGTH) return false
    dummy ??= passwords.hash('a password that nobody has').catch((error: unknown) => {
      dummy = undefined
      throw error
    })
    const dummyHash = await dummy
    const hash = user?.passwordHash ?? null
    const isRight = await passwords.verify(password, hash ?? dummyHash)
    if (user === null || hash === null || !isRight) return false
    if (passwords.needsRenewal?.(hash) === true) {
      await store.users.update(user.id, { passwordHash: await passwords.hash(password) })
    }
    return true
  }
}

async function refreshSession(
  deps: ServiceDependencies,
  token: string | undefined,
): Promise<SignIn> {
  const { store, tokens, runtime } = deps
  if (token === undefined || token === '') throw refuse(401, 'Invalid refresh token', CHALLENGE)
  const claims = await tokens.verifyRefresh(token)
  const user = claims === null ? null : await store.users.get(claims.userId)
  if (claims === null || user === null) throw refuse(401, 'Invalid refresh token')
  if (!user.isActive) throw refuse(401, 'User account is inactive')
  const family = await store.refreshFamilies.get(claims.familyId)
  const now = runtime.now()
  if (family === null || family.userId !== user.id || family.expiresAt <= now) {
    throw refuse(401, 'Invalid refresh token')
  }
  const { familyId, tokenId } = claims
  const use = await store.refreshFamilies.use({
    familyId,
    tokenId,
    successorId: runtime.uuid(),
    at: now,
  })
  const late = use !== null && !use.first && now.getTime() - use.usedAt.getTime() > GRACE_MS
  if (late) await store.refreshFamilies.remove(familyId)
  if (use === null || late) throw refuse(401, 'Invalid refresh token')
  return await issueTokens(deps, user, {
    familyId,
    tokenId: use.successorId,
    end: family.expiresAt,
  })
}
