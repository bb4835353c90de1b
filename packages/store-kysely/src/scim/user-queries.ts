import type { UserSummary } from '@x/scim-core'
import { sql, type Kysely } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import { preparedQuery, type Placeholders } from '../query/prepared-query.ts'
import type { ScimTables, ScimUserElementRow, ScimUserRow } from '../schema/tables/scim.ts'
import { userGroups, type UserGroupsRow } from './user-groups.ts'
import {
  INDEXED_COLUMNS,
  USER_RECORD_COLUMNS,
  type UserRecordRow,
  type UserValues,
} from './user-row.ts'

type Db = Kysely<ScimTables>

interface UserKey {
  readonly tenant: string
  readonly id: string
}

interface Expected {
  readonly expectedVersion: number
}

/** `limit 1`, so that the driver does not look for a second row. */
const ONE = sql.lit(1)

const aliveUser = (db: Db, value: Placeholders<UserKey>) =>
  db
    .selectFrom('scim_user')
    .where('tenant', '=', value('tenant'))
    .where('id', '=', value('id'))
    .where('deleted_at', 'is', null)
    .limit(ONE)

const userRecord = (db: Db, value: Placeholders<UserKey>) =>
  aliveUser(db, value).select(USER_RECORD_COLUMNS)

const userWithGroups = (db: Db, value: Placeholders<UserKey>) =>
  userRecord(db, value).select(userGroups(db).as('groups'))

export const readUser = preparedQuery<ScimTables, UserKey, UserRecordRow>(userRecord)

export const readUserWithGroups = preparedQuery<ScimTables, UserKey, UserRecordRow & UserGroupsRow>(
  userWithGroups,
)

export const lockUser = preparedQuery<ScimTables, UserKey, UserRecordRow>((db, value) =>
  userRecord(db, value).forUpdate(),
)

export const lockUserWithGroups = preparedQuery<ScimTables, UserKey, UserRecordRow & UserGroupsRow>(
  (db, value) => userWithGroups(db, value).forUpdate(),
)

/** The parts of a user shown in references. */
export const readSummary = preparedQuery<ScimTables, UserKey, UserSummary>((db, value) =>
  aliveUser(db, value).select(['id', 'display']),
)

/** The same, locked against removal until the transaction ends. */
export const keepBrief = preparedQuery<ScimTables, UserKey, UserSummary>((db, value) =>
  aliveUser(db, value).select(['id', 'display']).forKeyShare(),
)

/** The parts of the stored row needed for an update. */
export type UserHead = Pick<ScimUserRow, 'lists' | (typeof INDEXED_COLUMNS)[number]> & {
  readonly seq: number
}

export const readHead = preparedQuery<ScimTables, UserKey & Expected, UserHead>((db, value) =>
  aliveUser(db, value)
    .select(['seq', 'lists', ...INDEXED_COLUMNS])
    .where('version', '=', value('expectedVersion')),
)

/** The `seq` of the new row is returned, or on SQLite its `insertId`, which is cheaper than a row. */
export const insertUser = preparedQuery<ScimTables, UserValues, { seq: number }>((db, value) => {
  const insert = db.insertInto('scim_user').values({
    tenant: value('tenant'),
    id: value('id'),
    ...documentColumns(value),
    ...indexedColumns(value),
    deleted_at: value('deleted_at'),
  })
  return engineOf(db).kind === 'sqlite'
    ? { compile: () => insert.compile() }
    : insert.returning('seq')
})

/** For records whose indexed values are unchanged. */
export const updateDocument = preparedQuery<ScimTables, UserValues & Expected, never>((db, value) =>
  versionedUpdate(db, value).set(documentColumns(value)),
)

export const updateAll = preparedQuery<ScimTables, UserValues & Expected, never>((db, value) =>
  versionedUpdate(db, value).set({
    ...documentColumns(value),
    ...indexedColumns(value),
    deleted_at: value('deleted_at'),
  }),
)

export const deleteUser = preparedQuery<ScimTables, UserKey, never>((db, value) =>
  db.deleteFrom('scim_user').where('tenant', '=', value('tenant')).where('id', '=', value('id')),
)

export const insertElement = preparedQuery<ScimTables, ScimUserElementRow, never>((db, value) =>
  db.insertInto('scim_user_element').values({
    user_seq: value('user_seq'),
    tenant: value('tenant'),
    attr: value('attr'),
    ord: value('ord'),
    value_key: value('value_key'),
    type_key: value('type_key'),
    display_key: value('display_key'),
    is_primary: value('is_primary'),
  }),
)

export const deleteElements = preparedQuery<ScimTables, { seq: number }, never>((db, value) =>
  db.deleteFrom('scim_user_element').where('user_seq', '=', value('seq')),
)

const versionedUpdate = (db: Db, value: Placeholders<UserValues & Expected>) =>
  db
    .updateTable('scim_user')
    .where('tenant', '=', value('tenant'))
    .where('id', '=', value('id'))
    .where('version', '=', value('expectedVersion'))
    .where('deleted_at', 'is', null)

const documentColumns = (value: Placeholders<UserValues>) => ({
  user_name: value('user_name'),
  active: value('active'),
  display: value('display'),
  display_key: value('display_key'),
  modified: value('modified'),
  version: value('version'),
  lists: value('lists'),
  search: value('search'),
  data: value('data'),
})

const indexedColumns = (value: Placeholders<UserValues>) => ({
  user_name_key: value('user_name_key'),
  external_id: value('external_id'),
  display_name_key: value('display_name_key'),
  family_name_key: value('family_name_key'),
  given_name_key: value('given_name_key'),
  created: value('created'),
})
