import type { Runtime } from '@x/wire'
import type { JWTPayload } from 'jose'
import { refuse } from '../../refusal.ts'
import type { FlowStore } from '../../store/flow-store.ts'
import { isUniqueConflict } from '../../store/store-error.ts'
import type { UserService } from './users.ts'

/** An identity that a provider has vouched for. */
export interface OidcIdentity {
  readonly issuer: string
  readonly subject: string
  /** `sub`, or the claim named by `externalIdClaim`. */
  readonly externalId: string
  /** Only when the provider says that it is verified. */
  readonly email: string | null
  /** Every claim of the ID token. */
  readonly claims: Readonly<Record<string, unknown>>
}

export interface OidcUserOptions {
  readonly store: Pick<FlowStore, 'oidcLinks'>
  readonly users: Pick<UserService, 'create'>
  readonly runtime: Pick<Runtime, 'now'>
  /** The managed user of an identity without a link. */
  readonly findManagedUser?: (identity: OidcIdentity) => Promise<string | null>
  /** Makes a user for an identity that has none; false. */
  readonly autoCreate?: boolean
}

/** The user that an identity stands for. */
export interface OidcUser {
  readonly userId: string
  /** The user was made for this sign-in. */
  readonly isNew: boolean
}

/**
 * The user of an identity (SU-23): by the stored link, then the one the host finds, then a new user where
 * that is allowed. The link is stored.
 * @throws Refusal 403 for an identity without an account
 */
export async function findOidcUser(
  { store, users, findManagedUser, autoCreate = false, runtime }: OidcUserOptions,
  identity: OidcIdentity,
): Promise<OidcUser> {
  const { issuer, subject } = identity
  const link = await store.oidcLinks.find(issuer, subject)
  if (link !== null) return { userId: link.userId, isNew: false }
  let isNew = false
  let userId = (await findManagedUser?.(identity)) ?? null
  if (userId === null && autoCreate) {
    const username = identity.email ?? identity.subject
    const user = await users.create({ username, password: null, isActive: true })
    userId = user.id
    isNew = true
  }
  if (userId === null) throw refuse(403, 'No account is provisioned for this identity')
  try {
    await store.oidcLinks.insert({ issuer, subject, userId, createdAt: runtime.now() })
  } catch (error) {
    if (!isUniqueConflict(error)) throw error
    const other = await store.oidcLinks.find(issuer, subject)
    return { userId: other?.userId ?? userId, isNew }
  }
  return { userId, isNew }
}

/** @param externalIdClaim the claim that is the directory's externalId */
export function identityOf(
  claims: JWTPayload,
  issuer: string,
  externalIdClaim: string,
): OidcIdentity {
  const { sub = '' } = claims
  const { [externalIdClaim]: externalId, email, email_verified: verified } = claims
  // A provider that does not verify addresses lets users claim the address of another person.
  const isKnown = externalIdClaim !== 'email' || verified === true
  return {
    issuer,
    subject: sub,
    externalId: isKnown && typeof externalId === 'string' ? externalId : sub,
    email: typeof email === 'string' && verified === true ? email : null,
    claims,
  }
}
