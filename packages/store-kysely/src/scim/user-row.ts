import { fold, recordData, type UserRecord } from '@x/scim-core'
import { date, nullable } from '../records/columns.ts'
import type { ScimUserRow } from '../schema/tables/scim.ts'
import { elementRows, searchDocument, USER_COLUMNS, userKeys } from './search-keys.ts'
import { readGroups, type UserGroupsRow } from './user-groups.ts'

/** The columns needed for a record; `tenant` is known, `deleted_at` is null. */
export const USER_RECORD_COLUMNS = [
  'id',
  'external_id',
  'user_name',
  'active',
  'created',
  'modified',
  'version',
  'data',
] as const

export type UserRecordRow = Pick<ScimUserRow, (typeof USER_RECORD_COLUMNS)[number]>

/** A row to write. */
export type UserValues = Omit<ScimUserRow, 'seq'>

/** The indexed columns: a write that does not change them updates no index. */
export const INDEXED_COLUMNS = [
  'user_name_key',
  'external_id',
  'display_name_key',
  'family_name_key',
  'given_name_key',
  'created',
] as const

/** The record of a user that is not a tombstone. */
export function fromUserRow(
  tenant: string,
  row: UserRecordRow & Partial<UserGroupsRow>,
): UserRecord {
  const record: { -readonly [Key in keyof UserRecord]: UserRecord[Key] } = {
    tenant,
    id: row.id,
    externalId: row.external_id,
    userName: row.user_name,
    userNameKey: fold(row.user_name),
    active: row.active === null ? null : row.active === 1,
    data: row.data,
    created: date.decode(row.created),
    lastModified: date.decode(row.modified),
    version: row.version,
    deletedAt: null,
  }
  if (row.groups !== undefined) record.groups = readGroups(row.groups)
  return record
}

export function toUserRow(record: UserRecord): UserValues {
  const data = recordData(record)
  const elements = elementRows(data)
  return {
    tenant: record.tenant,
    id: record.id,
    external_id: record.externalId,
    user_name: record.userName,
    user_name_key: record.deletedAt === null ? record.userNameKey : null,
    active: record.active === null ? null : Number(record.active),
    ...userKeys(record, data),
    created: date.encode(record.created),
    modified: date.encode(record.lastModified),
    version: record.version,
    deleted_at: nullable(date).encode(record.deletedAt),
    lists: elements.length === 0 ? '' : JSON.stringify(elements),
    search: searchDocument(data, USER_COLUMNS),
    data: record.data,
  }
}
