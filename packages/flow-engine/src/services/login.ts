import type { FlowStore } from '../store/flow-store.ts'
import type { UserRecord } from '../store/users.ts'
import { ensureDefaultProject } from './default-project.ts'
import type { ServiceKit } from './kit.ts'
import { MAX_PASSWORD_LENGTH } from './passwords.ts'
import { refuse } from './refusal.ts'
import { retryTaken } from './retry.ts'
import type { SignInLimiter } from './sign-in-limiter.ts'
import { saveEnvironmentVariables } from './environment-variables.ts'

/** Of Auto Login. */
const AUTO_LOGIN_SECONDS = 365 * 24 * 3600
/** A refresh token used once more within this time is answered like the first time. */
const GRACE_MS = 30_000

/** Tokens of a sign-in, with what the cookies need. */
export interface SignIn {
  readonly user: UserRecord
  readonly accessToken: string
  /** Null from Auto Login. */
  readonly refreshToken: string | null
  /** When the cookies end; null: with the browser's session. */
  readonly accessExpires: Date | null
  readonly refreshExpires: Date | null
}

/** Signing in and out (login.md). */
export interface LoginService {
  /** @throws Refusal 400, 401, 429 */
  signIn(input: { username: string; password: string; clientAddress: string }): Promise<SignIn>
  /**
   * Signs in a user that was found by other means; as after a good password.
   * @throws Refusal 403 when the user is not active
   */
  signInAs(userId: string): Promise<SignIn>
  /** @throws Refusal 401 */
  refresh(token: string | undefined): Promise<SignIn>
  /** Revokes the family of a refresh token; anything else is fine. */
  signOut(token: string | undefined): Promise<void>
  /** @throws Refusal 400 */
  autoLogin(): Promise<SignIn>
  /** The superuser that auto login and the environment key act as; null when there is none. */
  superuser(): Promise<UserRecord | null>
}

const CHALLENGE = { headers: { 'www-authenticate': 'Bearer' } }

export function createLoginService(
  kit: ServiceKit,
  limiter: SignInLimiter,
  environment: Readonly<Record<string, string>>,
): LoginService {
  const { store, tokens, settings, runtime } = kit
  const verify = createPasswordCheck(kit)

  return {
    async signIn({ username, password, clientAddress }) {
      if (settings.loginRateLimit) await refuseFast(limiter, clientAddress, username)
      const user = await store.users.findByUsername(username)
      if (!(await verify(user, password)) || user === null) {
        if (settings.loginRateLimit) await limiter.failed(clientAddress, username)
        const at = runtime.now()
        kit.emit('signIn.failed', { at, id: user?.id ?? '', clientAddress })
        throw refuse(401, 'Incorrect username or password', CHALLENGE)
      }
      await limiter.succeeded(clientAddress, username)
      if (!user.isActive) {
        throw user.lastLoginAt === null
          ? refuse(400, 'Waiting for approval')
          : refuse(401, 'Inactive user')
      }
      return await openSession(kit, user, environment)
    },
    async signInAs(userId) {
      const user = await store.users.get(userId)
      if (user?.isActive !== true) throw refuse(403, 'User account is inactive')
      return await openSession(kit, user, environment)
    },
    refresh: (token) => refreshSession(kit, token),
    async signOut(token) {
      const claims = token === undefined ? null : await tokens.verifyRefresh(token)
      if (claims !== null) await store.refreshFamilies.remove(claims.familyId)
    },
    async autoLogin() {
      if (!settings.autoLogin) {
        const message = 'Auto login is disabled. Please enable it in the settings'
        throw refuse(400, message, { body: { message, auto_login: false } })
      }
      const user = await findSuperuser(kit)
      if (user === null) throw refuse(400, "Super user hasn't been created")
      const updated = await store.users.update(user.id, { lastLoginAt: runtime.now() })
      return {
        user: updated ?? user,
        accessToken: await tokens.access(user.id, AUTO_LOGIN_SECONDS),
        refreshToken: null,
        accessExpires: null,
        refreshExpires: null,
      }
    },
    superuser: () => findSuperuser(kit),
  }
}

async function findSuperuser({ store, settings }: ServiceKit): Promise<UserRecord | null> {
  const named = await store.users.findByUsername(settings.superuser)
  return named?.isSuperuser === true ? named : await store.users.findSuperuser()
}

async function refuseFast(limiter: SignInLimiter, address: string, name: string): Promise<void> {
  const seconds = await limiter.delay(address, name)
  if (seconds <= 0) return
  throw refuse(429, 'Too many login attempts. Try again later.', {
    headers: { 'retry-after': String(seconds) },
  })
}

/** Unknown names and users without a password cost the same time as wrong passwords. */
function createPasswordCheck({ passwords, store }: ServiceKit) {
  let dummy: Promise<string> | undefined
  return async (user: UserRecord | null, password: string): Promise<boolean> => {
    if (passwords === undefined || password.length > MAX_PASSWORD_LENGTH) return false
    const hash = user?.passwordHash ?? null
    if (user === null || hash === null) {
      dummy ??= passwords.hash('a password that nobody has')
      await passwords.verify(password, await dummy)
      return false
    }
    if (!(await passwords.verify(password, hash))) return false
    if (passwords.needsRenewal?.(hash) === true) {
      await store.users.update(user.id, { passwordHash: await passwords.hash(password) })
    }
    return true
  }
}

async function openSession(
  kit: ServiceKit,
  user: UserRecord,
  environment: Readonly<Record<string, string>>,
): Promise<SignIn> {
  const { store, runtime, settings } = kit
  const now = runtime.now()
  const [familyId, tokenId] = [runtime.uuid(), runtime.uuid()]
  const end = new Date(now.getTime() + settings.refreshTokenMaxAgeSeconds * 1000)
  const open = async (tx: FlowStore): Promise<UserRecord | null> => {
    const changed = await tx.users.update(user.id, { lastLoginAt: now, updatedAt: now })
    await ensureDefaultProject(kit, tx, user.id)
    const family = { id: familyId, userId: user.id, createdAt: now, expiresAt: end }
    await tx.refreshFamilies.insert(family, tokenId)
    return changed
  }
  const updated = await retryTaken(['project.name'], () => store.transaction(open))
  await store.refreshFamilies.trim(now)
  await saveEnvironmentVariables(kit, user.id, environment)
  return await issue(kit, updated ?? user, { familyId, tokenId, end })
}

async function refreshSession(kit: ServiceKit, token: string | undefined): Promise<SignIn> {
  const { store, tokens, runtime } = kit
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
  return await issue(kit, user, { familyId, tokenId: use.successorId, end: family.expiresAt })
}

async function issue(
  { tokens, runtime, settings }: ServiceKit,
  user: UserRecord,
  { familyId, tokenId, end }: { familyId: string; tokenId: string; end: Date },
): Promise<SignIn> {
  const now = runtime.now().getTime()
  const { accessTokenExpireSeconds, refreshTokenExpireSeconds } = settings
  const refreshExpires = new Date(Math.min(now + refreshTokenExpireSeconds * 1000, end.getTime()))
  const claims = { userId: user.id, tokenId, familyId }
  return {
    user,
    accessToken: await tokens.access(user.id, accessTokenExpireSeconds),
    refreshToken: await tokens.refresh(claims, refreshExpires),
    accessExpires: new Date(now + accessTokenExpireSeconds * 1000),
    refreshExpires,
  }
}
