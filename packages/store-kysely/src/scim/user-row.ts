import { fold, recordData, type UserRecord } from '@x/scim-core'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { date, nullable } from '../columns.ts'
import { engineOf } from '../dialect.ts'
import type { ScimTables, ScimUserRow } from '../tables/scim.ts'
import { elementRows, searchDocument, USER_COLUMNS, userKeys } from './search-keys.ts'
import { readGroups, type UserGroupsRow } from './user-groups.ts'

/**
 * The columns a record is made of, besides its stamp; `tenant` is known, `deleted_at` is null and the
 * key of the name follows from it.
 */
export const USER_RECORD_COLUMNS = ['id', 'external_id', 'user_name', 'data'] as const

/** A user as it is read. Each value of a row costs the driver more than JavaScript pays for parting it. */
export interface UserRecordRow extends Pick<ScimUserRow, (typeof USER_RECORD_COLUMNS)[number]> {
  /** The numbers of a user: active (-1: unassigned), created, modified, version. */
  readonly stamp: string
}

/** The stamp of the user in `table`. */
export function userStamp(db: Kysely<ScimTables>, table: 'r' | 'scim_user'): RawBuilder<string> {
  const numbers = ['active', 'created', 'modified', 'version'].map((column) =>
    sql.ref(`${table}.${column}`),
  )
  const [active, ...rest] = numbers
  const known = [sql`coalesce(${active}, -1)`, ...rest]
  return engineOf(db).kind === 'sqlite'
    ? sql`(${sql.join(known, sql` || ' ' || `)})`
    : sql`concat_ws(' ', ${sql.join(known)})`
}

/** A row to be written. */
export type UserValues = Omit<ScimUserRow, 'seq'>

/** The columns that stand in indexes: while they stay as they are, a write touches no index. */
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
  const [active = -1, created = 0, modified = 0, version = 0] = row.stamp.split(' ').map(Number)
  const record: UserRecord = {
    tenant,
    id: row.id,
    externalId: row.external_id,
    userName: row.user_name,
    userNameKey: fold(row.user_name),
    active: active === -1 ? null : active === 1,
    data: row.data,
    created: date.decode(created),
    lastModified: date.decode(modified),
    version,
    deletedAt: null,
  }
  return row.groups === undefined ? record : { ...record, groups: readGroups(row.groups) }
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
