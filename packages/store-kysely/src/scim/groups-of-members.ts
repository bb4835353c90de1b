import { compareCodePoints, type GroupBrief } from '@x/scim-core'
import { sql, type Kysely } from 'kysely'
import { chunks } from '../query/chunks.ts'
import { engineOf } from '../engine/engine.ts'
import { hotQuery } from '../query/compiled-query.ts'
import { idParameter, idTable } from '../query/id-list.ts'
import { jsonRows } from '../query/json-rows.ts'
import type { ScimTables } from '../schema/tables/scim.ts'

type Db = Kysely<ScimTables>

/** Ids in one query: a page of a list, however long. */
const AT_ONCE = 10_000

/** The groups of many users by their ids, each list in the order of the groups' ids. */
export async function groupsOfMembers(
  db: Db,
  tenant: string,
  memberIds: readonly string[],
): Promise<Map<string, GroupBrief[]>> {
  const found = new Map<string, GroupBrief[]>()
  for (const ids of chunks(memberIds, AT_ONCE)) {
    const { rows } = await readMemberships.run(db, { tenant, ids: idParameter(db, ids) })
    const { memberships, names } = rows[0] ?? NOTHING
    const groups = new Map(pairs(names).map(([id, displayName]) => [id, { id, displayName }]))
    for (const [memberId, groupId] of pairs(memberships)) {
      const group = groups.get(groupId)
      if (group === undefined) continue
      const known = found.get(memberId)
      if (known === undefined) found.set(memberId, [group])
      else known.push(group)
    }
  }
  for (const groups of found.values()) {
    if (groups.length > 1) groups.sort((a, b) => compareCodePoints(a.id, b.id))
  }
  return found
}

/** The text was made by the query. */
function pairs(json: string): readonly (readonly [string, string])[] {
  return JSON.parse(json) as readonly (readonly [string, string])[]
}

interface MembershipsRow {
  /** `[[memberId, groupId], ...]` */
  readonly memberships: string
  /** `[[groupId, displayName], ...]`: each group once, however many of the users it has. */
  readonly names: string
}

const NOTHING: MembershipsRow = { memberships: '[]', names: '[]' }

interface MembershipsValues {
  readonly tenant: string
  readonly ids: unknown
}

const readMemberships = hotQuery<ScimTables, MembershipsValues, MembershipsRow>((db, value) => {
  const { kind } = engineOf(db)
  const tenant = value('tenant')
  // A query that begins with `select` is one that reads, and needs no writing connection.
  const query = sql<MembershipsRow>`select memberships, names from (
    with own as materialized (
      select m.member_id, m.group_id from ${idTable(db, value('ids'))}
      cross join scim_member as m where m.tenant = ${tenant} and m.member_id = ids.id)
    select (select ${jsonRows(kind, ['member_id', 'group_id'])} from own) as memberships,
      (select ${jsonRows(kind, ['id', 'display_name'])} from scim_group
        where tenant = ${tenant} and id in (select group_id from own)) as names) as page limit 1`
  return { compile: () => query.compile(db) }
})
