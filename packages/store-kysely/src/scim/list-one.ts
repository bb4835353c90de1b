import type { ResolvedFilter, UserRecord } from '@x/scim-core'
import { sql, type Kysely } from 'kysely'
import { preparedQuery, type Placeholders } from '../query/prepared-query.ts'
import type { ScimTables } from '../schema/tables/scim.ts'
import type { ListRequest } from './list-request.ts'
import { userGroups, type UserGroupsRow } from './user-groups.ts'
import { fromUserRow, USER_RECORD_COLUMNS, type UserRecordRow } from './user-row.ts'

/**
 * Lists a filter that can match at most one user (`userName eq`, `id eq`), as directories send before each
 * write: one compiled query returns page and total. Undefined for all other lists.
 */
export function findOne(
  db: Kysely<ScimTables>,
  { tenant, query }: ListRequest,
): Promise<{ total: number; records: UserRecord[] }> | undefined {
  const key = uniqueValue(query.filter)
  if (key === undefined || query.after !== undefined) return undefined
  return readOne(db, key, { tenant, query })
}

async function readOne(
  db: Kysely<ScimTables>,
  key: UniqueValue,
  { tenant, query }: Pick<ListRequest, 'tenant' | 'query'>,
): Promise<{ total: number; records: UserRecord[] }> {
  const queries = query.withGroups === true ? WITH_GROUPS : ALONE
  const { rows } = await queries[key.name].run(db, {
    tenant,
    value: key.value,
  })
  const [row] = rows
  if (row === undefined) return { total: 0, records: [] }
  const isShown = (query.offset ?? 0) === 0 && query.limit > 0
  return { total: 1, records: isShown ? [fromUserRow(tenant, row)] : [] }
}

interface UniqueValue {
  readonly name: 'id' | 'userName'
  readonly value: string
}

function uniqueValue(filter: ResolvedFilter | undefined): UniqueValue | undefined {
  if (filter?.kind !== 'compare' || filter.operator !== 'eq') return undefined
  const { path, value } = filter
  if (typeof value !== 'string') return undefined
  return path.key === 'id' || path.key === 'userName' ? { name: path.key, value } : undefined
}

interface KeyValues {
  readonly tenant: string
  readonly value: string
}

const keyed =
  (column: 'id' | 'user_name_key') => (db: Kysely<ScimTables>, value: Placeholders<KeyValues>) =>
    db
      .selectFrom('scim_user')
      .select(USER_RECORD_COLUMNS)
      .where('tenant', '=', value('tenant'))
      .where(column, '=', value('value'))
      .where('deleted_at', 'is', null)
      .limit(sql.lit(1))

const alone = (column: 'id' | 'user_name_key') =>
  preparedQuery<ScimTables, KeyValues, UserRecordRow>(keyed(column))

const withGroups = (column: 'id' | 'user_name_key') =>
  preparedQuery<ScimTables, KeyValues, UserRecordRow & UserGroupsRow>((db, value) =>
    keyed(column)(db, value).select(userGroups(db).as('groups')),
  )

const ALONE = { id: alone('id'), userName: alone('user_name_key') }
const WITH_GROUPS = { id: withGroups('id'), userName: withGroups('user_name_key') }
