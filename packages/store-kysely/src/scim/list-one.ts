import type { ResolvedFilter, UserRecord } from '@x/scim-core'
import type { Kysely } from 'kysely'
import { hotQuery } from '../hot-query.ts'
import type { ScimTables } from '../tables/scim.ts'
import type { ListRequest } from './list-request.ts'
import { fromUserRow, USER_RECORD_COLUMNS, type UserRecordRow } from './user-row.ts'

/**
 * The list of a filter that at most one user can match (`userName eq`, `id eq`), which directories
 * send before each write: one compiled query gives page and total. Undefined for all other lists.
 */
export async function findOne(
  db: Kysely<ScimTables>,
  { tenant, query }: ListRequest,
): Promise<{ total: number; records: UserRecord[] } | undefined> {
  const key = uniqueValue(query.filter)
  if (key === undefined || query.after !== undefined) return undefined
  const { rows } = await (key.name === 'id' ? byId : byUserName).run(db, {
    tenant,
    value: key.value,
  })
  const start = query.offset ?? 0
  return {
    total: rows.length,
    records: rows.slice(start, start + query.limit).map((row) => fromUserRow(tenant, row)),
  }
}

function uniqueValue(
  filter: ResolvedFilter | undefined,
): { name: 'id' | 'userName'; value: string } | undefined {
  if (filter?.kind !== 'compare' || filter.operator !== 'eq') return undefined
  const { path, value } = filter
  if (typeof value !== 'string') return undefined
  return path.key === 'id' || path.key === 'userName' ? { name: path.key, value } : undefined
}

interface KeyValues {
  readonly tenant: string
  readonly value: string
}

const byUserName = hotQuery<ScimTables, KeyValues, UserRecordRow>((db, value) =>
  db
    .selectFrom('scim_user')
    .select(USER_RECORD_COLUMNS)
    .where('tenant', '=', value('tenant'))
    .where('user_name_key', '=', value('value'))
    .where('deleted_at', 'is', null),
)

const byId = hotQuery<ScimTables, KeyValues, UserRecordRow>((db, value) =>
  db
    .selectFrom('scim_user')
    .select(USER_RECORD_COLUMNS)
    .where('tenant', '=', value('tenant'))
    .where('id', '=', value('value'))
    .where('deleted_at', 'is', null),
)
