import type { MemberRow } from '@x/scim-core'
import { sql, type Kysely } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import { preparedQuery } from '../query/prepared-query.ts'
import { idParameter, idTable } from '../query/id-list.ts'
import { jsonRows } from '../query/json-rows.ts'
import type { ScimTables } from '../schema/tables/scim.ts'

type Db = Kysely<ScimTables>

/**
 * The members of several groups with one query, in the order of `list`; null if there are more than
 * `limit`.
 */
export async function membersOfGroups(
  db: Db,
  tenant: string,
  { groupIds, limit }: { readonly groupIds: readonly string[]; readonly limit: number },
): Promise<Map<string, MemberRow[]> | null> {
  const ids = idParameter(db, groupIds)
  const { rows } = await readMembers.run(db, { tenant, ids, limit, cut: limit + 1 })
  const { total, page } = rows[0] ?? { total: 0, page: '[]' }
  if (total > limit) return null
  const found = new Map<string, MemberRow[]>()
  for (const [owner, id, type, display] of JSON.parse(page) as readonly PackedMember[]) {
    const known = found.get(owner)
    if (known === undefined) found.set(owner, [{ id, type, display }])
    else known.push({ id, type, display })
  }
  return found
}

/** Group id and member. The JSON was created by the query. */
type PackedMember = readonly [
  owner: string,
  id: string,
  type: MemberRow['type'],
  display: string | null,
]

interface PageRow {
  /** Number of memberships up to the cut-off, including tombstones. */
  readonly total: number
  readonly page: string
}

interface PageValues {
  readonly tenant: string
  readonly ids: unknown
  readonly limit: number
  readonly cut: number
}

/** Cut off and counted before joining and sorting, so that too many members only cost an index scan. */
const readMembers = preparedQuery<ScimTables, PageValues, PageRow>((db, value) => {
  const { kind } = engineOf(db)
  // A query that begins with `select` is read-only and needs no write connection.
  const query = sql<PageRow>`select total, page from (
    with cut as materialized (
      select ids.id as owner, r.tenant, r.member_id, r.added_at
      from ${idTable(db, value('ids'))} cross join scim_member as r
      where r.tenant = ${value('tenant')} and r.group_id = ids.id limit ${value('cut')})
    select (select count(*) from cut) as total,
      (select ${jsonRows(kind, ['owner', 'member_id', 'kind', 'display'])} from (
        select m.owner, m.member_id,
          case when u.id is null then 'Group' else 'User' end as kind,
          case when u.id is null then g.display_name else u.display end as display
        from cut as m
        left join scim_user as u on u.tenant = m.tenant and u.id = m.member_id and u.deleted_at is null
        left join scim_group as g on g.tenant = m.tenant and g.id = m.member_id
        where (select count(*) from cut) <= ${value('limit')} and (u.id is not null or g.id is not null)
        order by m.owner, m.added_at, m.member_id) as members) as page) as answer limit 1`
  return { compile: () => query.compile(db) }
})
