import { isObject } from '@x/wire'
import { recordData } from '../base/document.ts'
import { fold } from '../base/fold.ts'
import type { Adoption, UserRecord } from '../store/users.ts'

/** An account of the host that a new user may take over. */
export interface AccountCandidate {
  readonly id: string
  readonly userName: string
  readonly externalId?: string | null
  /** Only addresses that the person has confirmed are verified. */
  readonly emails?: readonly { readonly value: string; readonly verified: boolean }[]
  /** Such as an administrator, who is never taken over. */
  readonly privileged?: boolean
  /** Belongs to a directory already; never matched. */
  readonly managed?: boolean
}

type MatchedBy = 'externalId' | 'userName' | 'email'

const ORDER: readonly MatchedBy[] = ['externalId', 'userName', 'email']

/**
 * Finds the account that a new user takes over, for `adopt`: by externalId, then userName, then, only if `by` names
 * it, a verified e-mail address that is the primary one of the user. Several at the first step that matches are
 * refused as `ambiguous`, a privileged one as `privileged`, and an equal address that is not verified as
 * `unverified`. Names shown and further addresses never match.
 * @param options `by`: default externalId and userName
 */
export function matchAccount(
  record: UserRecord,
  candidates: readonly AccountCandidate[],
  { by = ['externalId', 'userName'] }: { readonly by?: readonly MatchedBy[] } = {},
): Adoption {
  const free = candidates.filter(({ managed }) => managed !== true)
  const email = by.includes('email') ? primaryEmail(record) : undefined
  const isEqual: Readonly<Record<MatchedBy, (one: AccountCandidate) => boolean>> = {
    externalId: ({ externalId }) => record.externalId !== null && externalId === record.externalId,
    userName: ({ userName }) => fold(userName) === record.userNameKey,
    email: ({ emails = [] }) =>
      emails.some(({ value, verified }) => verified && fold(value) === email),
  }
  for (const step of ORDER.filter((one) => by.includes(one))) {
    const [found, second] = free.filter(isEqual[step])
    if (found === undefined) continue
    if (second !== undefined) return { refuse: 'ambiguous' }
    if (found.privileged === true) return { refuse: 'privileged' }
    return { id: found.id, by: step }
  }
  const isUnverified = free.some(({ emails = [] }) =>
    emails.some(({ value }) => email !== undefined && fold(value) === email),
  )
  return isUnverified ? { refuse: 'unverified' } : null
}

/** The primary or only address, folded. */
function primaryEmail(record: UserRecord): string | undefined {
  const given = recordData(record)['emails']
  const emails = (Array.isArray(given) ? (given as unknown[]) : []).filter(isObject)
  const only = emails.length === 1 ? emails[0] : undefined
  const value = (emails.find(({ primary }) => primary === true) ?? only)?.['value']
  return typeof value === 'string' ? fold(value) : undefined
}
