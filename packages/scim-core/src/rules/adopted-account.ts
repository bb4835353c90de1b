import { ScimError } from '../base/errors.ts'
import { refusedCreateOf } from '../store/activity.ts'
import type { Adoption, AdoptionRefusal, UserRecord } from '../store/users.ts'
import type { Call } from './call.ts'

const REFUSALS: Readonly<Record<AdoptionRefusal, string>> = {
  ambiguous: 'Several existing accounts match the user.',
  privileged: 'The userName belongs to a privileged account, which cannot be linked.',
  unverified: 'The e-mail address belongs to an account that has not confirmed it.',
  unmanaged: 'The userName belongs to an account that the directory does not manage.',
}

/**
 * The id of the host account that a new user takes over; null if there is none.
 * @throws ScimError uniqueness if the host refuses
 */
export function adoptedAccount(
  { trace }: Call,
  answer: Adoption,
  { userNameKey }: Pick<UserRecord, 'userNameKey'>,
): string | null {
  if (answer === null) return null
  const adopted = typeof answer === 'string' ? { id: answer, by: 'userName' as const } : answer
  if ('refuse' in adopted) {
    trace.conflict = 'unmanaged'
    const { refuse, hint } = adopted
    trace.account = refusedCreateOf(userNameKey)
    const reason = REFUSALS[refuse]
    throw new ScimError('uniqueness', hint === undefined ? reason : `${reason} ${hint}`)
  }
  trace.adopted = adopted.by
  return adopted.id
}
