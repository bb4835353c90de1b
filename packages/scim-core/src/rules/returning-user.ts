import { ScimError } from '../base/errors.ts'
import { fold } from '../base/fold.ts'
import type { ScimConfig } from '../options/options.ts'
import { isSoftDeletedName } from '../schema/email-address.ts'
import type { AttributePath } from '../schema/attribute-path.ts'
import type { ScimDocument } from '../base/document.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { UserRecord } from '../store/users.ts'
import { userNamed } from './addresses.ts'
import { notUnique, type Call } from './call.ts'

/**
 * The user who is not active and whom a new user takes over, by the option `recreate`; null if there is none.
 * @throws ScimError uniqueness if another user has the userName
 */
export async function returningUser(
  { recreate }: ScimConfig,
  {
    tx,
    call,
    document,
  }: {
    readonly tx: ScimStore
    readonly call: Call
    readonly document: ScimDocument
  },
): Promise<UserRecord | null> {
  if (recreate === 'never') return null
  const externalId = document['externalId']
  const holder = await userNamed({ tx, call }, fold(String(document['userName'])))
  if (holder === undefined) {
    if (recreate !== 'externalId' || typeof externalId !== 'string') return null
    const { records } = await tx.users.list(call.tenant, {
      filter: { kind: 'compare', path: EXTERNAL_ID, operator: 'eq', value: externalId },
      limit: 2,
      withTotal: false,
    })
    const [only, second] = records
    return only !== undefined && second === undefined && hasLeft(only) ? only : null
  }
  const isSame = holder.externalId !== null && holder.externalId === externalId
  const isNamed = recreate === 'name' && holder.externalId === null && externalId === undefined
  if (hasLeft(holder) && (isSame || isNamed)) return holder
  call.trace.conflict = 'userName'
  if (holder.active === true) throw notUnique('userName')
  throw new ScimError(
    'uniqueness',
    'The userName is in use by a deactivated user. PATCH active to true, or see recreate.',
  )
}

/** A name that Entra gave to a deleted person belongs to nobody else. */
function hasLeft({ active, userName }: UserRecord): boolean {
  return active !== true && !isSoftDeletedName(userName)
}

export const EXTERNAL_ID: AttributePath = {
  key: 'externalId',
  urn: null,
  name: 'externalId',
  sub: null,
  type: 'string',
  caseExact: true,
  multiValued: false,
}
