import { fold } from '../base/fold.ts'
import { USER_NAME } from '../rules/addresses.ts'
import { EXTERNAL_ID } from '../rules/returning-user.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { SignalSubject } from './signals.ts'

/** The id of the one user that a subject means; null for nobody, or several. */
export async function findSubject(
  { users }: ScimStore,
  tenant: string,
  subject: SignalSubject,
): Promise<string | null> {
  if (subject.format === 'opaque') return subject.id
  const [path, value] =
    subject.format === 'email' ? [USER_NAME, fold(subject.email)] : [EXTERNAL_ID, subject.sub]
  const { records } = await users.list(tenant, {
    filter: { kind: 'compare', path, operator: 'eq', value },
    limit: 2,
    withTotal: false,
  })
  return records.length === 1 ? (records[0]?.id ?? null) : null
}
