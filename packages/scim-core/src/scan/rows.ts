import { recordData } from '../base/document.ts'
import { fold, groupNameKey } from '../base/fold.ts'
import type { GroupRecord } from '../store/groups.ts'
import type { UserRecord } from '../store/users.ts'
import type { ScanGroup, ScanUser } from './types.ts'

const EPOCH = new Date(0)

/** The address of a user without `emails`, if there is a default. */
export type DefaultEmail = 'userName' | undefined

export function userOfRow(tenant: string, row: ScanUser, defaultEmail?: DefaultEmail): UserRecord {
  const { created = EPOCH, version = 1, attributes = {} } = row
  const isShort = defaultEmail !== undefined && attributes['emails'] === undefined
  return {
    tenant,
    id: row.id,
    externalId: row.externalId ?? null,
    userName: row.userName,
    userNameKey: fold(row.userName),
    active: row.active === undefined ? true : row.active,
    data: JSON.stringify(isShort ? { ...attributes, emails: emailsOf(row) } : attributes),
    created,
    lastModified: row.lastModified ?? created,
    version,
    deletedAt: row.deletedAt ?? null,
  }
}

function emailsOf({ userName }: ScanUser): readonly object[] {
  return [{ value: userName, type: 'work', primary: true }]
}

/** A row to save. `before`: the loaded row; its default e-mail address is not saved unless it was changed. */
export function rowOfUser(record: UserRecord, before?: ScanUser): ScanUser {
  const { id, userName, externalId, active, created, lastModified, version, deletedAt } = record
  const attributes = { ...recordData(record) }
  const isShort = before !== undefined && before.attributes?.['emails'] === undefined
  if (isShort && JSON.stringify(attributes['emails']) === JSON.stringify(emailsOf(before)))
    delete attributes['emails']
  return { id, userName, externalId, active, attributes, created, lastModified, version, deletedAt }
}

export function groupOfRow(tenant: string, row: ScanGroup): GroupRecord {
  const { created = EPOCH, version = 1, uniqueName = true } = row
  const displayNameKey = groupNameKey(row.displayName)
  return {
    tenant,
    id: row.id,
    externalId: row.externalId ?? null,
    displayName: row.displayName,
    displayNameKey,
    uniqueKey: uniqueName ? displayNameKey : null,
    data: JSON.stringify(row.attributes ?? {}),
    created,
    lastModified: row.lastModified ?? created,
    version,
  }
}

export function rowOfGroup(record: GroupRecord): ScanGroup {
  const { id, displayName, externalId, created, lastModified, version } = record
  const attributes = recordData(record)
  const uniqueName = record.uniqueKey !== null
  return { id, displayName, externalId, uniqueName, attributes, created, lastModified, version }
}
