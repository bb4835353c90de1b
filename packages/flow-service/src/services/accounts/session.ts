import type { FlowStore } from '../../store/flow-store.ts'
import type { UserRecord } from '../../store/users.ts'
import { ensureDefaultProject } from '../flows/default-project.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { refuse } from '../../refusal.ts'
import { retryTaken } from '../records/retry.ts'

/** Tokens of a sign-in, with the data for their cookies. */
export interface SignIn {
  readonly user: UserRecord
  readonly accessToken: string
  /** Null for Auto Login. */
  readonly refreshToken: string | null
  /** When the cookies expire; null: at the end of the browser session. */
  readonly accessExpires: Date | null
  readonly refreshExpires: Date | null
}

/**
 * Opens a sign-in for a user whose credentials have been verified.
 * @throws Refusal 401 if they have changed since
 */
export async function openSession(deps: ServiceDependencies, user: UserRecord): Promise<SignIn> {
  const { store, runtime } = deps
  const now = runtime.now()
  const open = async (tx: FlowStore): Promise<SignIn> => {
    const changed = await tx.users.update(user.id, { lastLoginAt: now, updatedAt: now })
    // A concurrent reset has invalidated the old password (AB-64).
    if (changed?.tokenEpoch !== user.tokenEpoch) throw refuse(401, 'Incorrect username or password')
    await ensureDefaultProject(deps, tx, user.id)
    return await addSession(deps, tx, changed)
  }
  const session = await retryTaken(['project.name'], () => store.transaction(open))
  await store.refreshFamilies.trim(now)
  return session
}

/** Adds a sign-in of a user in the caller's transaction. */
export async function addSession(
  deps: ServiceDependencies,
  tx: FlowStore,
  user: UserRecord,
): Promise<SignIn> {
  const { runtime, settings } = deps
  const now = runtime.now()
  const [familyId, tokenId] = [runtime.uuid(), runtime.uuid()]
  const end = new Date(now.getTime() + settings.refreshTokenMaxAgeSeconds * 1000)
  const family = { id: familyId, userId: user.id, createdAt: now, expiresAt: end }
  await tx.refreshFamilies.insert(family, tokenId)
  const most = settings.maxSignInsPerUser
  if (most > 0) await tx.refreshFamilies.keepNewest(user.id, most)
  return await issueTokens(deps, user, { familyId, tokenId, end })
}

/** Issues both tokens of a sign-in. */
export async function issueTokens(
  { tokens, runtime, settings }: ServiceDependencies,
  user: UserRecord,
  { familyId, tokenId, end }: { familyId: string; tokenId: string; end: Date },
): Promise<SignIn> {
  const now = runtime.now().getTime()
  const { accessTokenExpireSeconds, refreshTokenExpireSeconds } = settings
  const refreshExpires = new Date(Math.min(now + refreshTokenExpireSeconds * 1000, end.getTime()))
  const claims = { userId: user.id, tokenId, familyId }
  return {
    user,
    accessToken: await tokens.access(
      { userId: user.id, epoch: user.tokenEpoch, signInId: familyId },
      accessTokenExpireSeconds,
    ),
    refreshToken: await tokens.refresh(claims, refreshExpires),
    accessExpires: new Date(now + accessTokenExpireSeconds * 1000),
    refreshExpires,
  }
}
