import { isObject } from '@x/wire'
import { invalidValue } from '../base/errors.ts'
import { cacheParsedData, recordData, type ScimDocument } from '../base/document.ts'
import { fold } from '../base/fold.ts'
import type { UserRecord } from '../store/users.ts'

/** All writable attributes of a user, including those with their own record fields. */
export function userDocument(record: UserRecord): ScimDocument {
  const { userName, externalId, active } = record
  return {
    userName,
    ...(externalId !== null && { externalId }),
    ...(active !== null && { active }),
    ...recordData(record),
  }
}

/** The record fields derived from a user's attributes; `rest` are the attributes without a field. */
function userFields(
  { userName, externalId, active }: ScimDocument,
  rest: ScimDocument,
): Pick<UserRecord, 'userName' | 'userNameKey' | 'externalId' | 'active' | 'data'> {
  if (typeof userName !== 'string') throw invalidValue('The attribute userName is required.')
  return {
    userName,
    userNameKey: fold(userName),
    externalId: typeof externalId === 'string' ? externalId : null,
    active: typeof active === 'boolean' ? active : null,
    data: JSON.stringify(rest),
  }
}

/** Creates a record from attributes. */
export function createUserRecord(
  document: ScimDocument,
  fixed: Pick<UserRecord, 'tenant' | 'id' | 'created' | 'lastModified' | 'version' | 'deletedAt'>,
): UserRecord {
  const { userName: _userName, externalId: _externalId, active: _active, ...rest } = document
  const { tenant, id, created, lastModified, version, deletedAt } = fixed
  const fields = userFields(document, rest)
  const record = { tenant, id, ...fields, created, lastModified, version, deletedAt }
  cacheParsedData(record, rest)
  return record
}

/** The primary e-mail address, in the form userNames are compared in. */
export function primaryEmailKey(document: ScimDocument): string | undefined {
  const emails: readonly unknown[] = Array.isArray(document['emails']) ? document['emails'] : []
  const primary = emails.find((email) => isObject(email) && email['primary'] === true)
  const value = isObject(primary) ? primary['value'] : undefined
  return typeof value === 'string' ? fold(value) : undefined
}
