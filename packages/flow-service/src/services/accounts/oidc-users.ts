import type { Runtime } from '@x/wire'
import { refuse } from '../../refusal.ts'
import type { FlowStore } from '../../store/flow-store.ts'
import { isUniqueConflict } from '@x/flow-engine/store'
import type { UserService } from './users.ts'

/** An identity asserted by a provider. */
export interface OidcIdentity {
  readonly issuer: string
  readonly subject: string
  /** `sub`, or the claim named by `externalIdClaim`; null if the token does not have that claim. */
  readonly externalId: string | null
  /** Set only if the provider says it is verified. */
  readonly email: string | null
  /** All claims of the ID token. */
  readonly claims: Readonly<Record<string, unknown>>
}

export interface OidcUserOptions {
  readonly store: Pick<FlowStore, 'oidcLinks'>
  readonly users: Pick<UserService, 'create'>
  readonly runtime: Pick<Runtime, 'now'>
  /** Finds the managed user of an identity without a link. */
  readonly findManagedUser?: (identity: OidcIdentity) => Promise<string | null>
  /** Creates a user for an unknown identity. Default false. */
  readonly autoCreate?: boolean
}

/** The user an identity belongs to. */
export interface OidcUser {
  readonly userId: string
  /** True if the user was created for this sign-in. */
  readonly isNew: boolean
}

/**
 * Finds the user of an identity: the stored link, then the host's lookup, then a new user if
 * allowed. Stores the link.
 * @throws Refusal 403 if the identity has no account
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

/**
 * @param externalIdClaim the claim used as the directory's externalId
 * @throws Refusal 400 for a subject that is not 1 to 255 characters long (OpenID Connect Core section 2)
 */
export function identityOf(
  claims: { readonly sub?: string; readonly [name: string]: unknown },
  issuer: string,
  externalIdClaim: string,
): OidcIdentity {
  const sub: unknown = claims.sub
  if (typeof sub !== 'string' || sub === '' || sub.length > 255)
    throw refuse(400, 'The identity token is not valid')
  const { [externalIdClaim]: externalId, email, email_verified: verified } = claims
  // If the provider does not verify addresses, a user could claim another person's. The subject is no
  // substitute for another claim: users who can choose it could choose another person's directory id.
  const isKnown = externalIdClaim !== 'email' || verified === true
  return {
    issuer,
    subject: sub,
    externalId: isKnown && typeof externalId === 'string' && externalId !== '' ? externalId : null,
    email: typeof email === 'string' && verified === true ? email : null,
    claims,
  }
}
