import { compareCodePoints, type GroupBrief } from '@x/scim-core'
import { sql, type Kysely } from 'kysely'
import { chunks } from '../query/chunks.ts'
import { engineOf } from '../engine/engine.ts'
import { preparedQuery } from '../query/prepared-query.ts'
import { idParameter, placedIdTable } from '../query/id-list.ts'
import type { ScimTables } from '../schema/tables/scim.ts'

type Db = Kysely<ScimTables>

/** Maximum ids per query: enough for a page of any list. */
const AT_ONCE = 10_000

/** The groups of several users by user id, each list ordered by group id. */
export async function groupsOfMembers(
  db: Db,
  tenant: string,
  memberIds: readonly string[],
): Promise<Map<string, GroupBrief[]>> {
  const found = new Map<string, GroupBrief[]>()
  for (const ids of chunks(memberIds, AT_ONCE)) {
    const { rows } = await readMemberships.run(db, { tenant, ids: idParameter(db, ids) })
    const groups = groupsOf(rows[0]).toSorted(([a], [b]) => compareCodePoints(a, b))
    for (const [id, displayName, places] of groups) {
      const group = { id, displayName }
      for (const place of places) {
        const memberId = ids[place] ?? ''
        const known = found.get(memberId)
        if (known === undefined) found.set(memberId, [group])
        else known.push(group)
      }
    }
  }
  return found
}

/** A group, and the positions of its members in the requested list of ids. */
type MembersOfGroup = readonly [id: string, displayName: string, places: readonly number[]]

interface MembershipsRow {
  /** Each group once, with the positions of its members instead of their ids. */
  readonly groups: string
}

/** The JSON was created by the query. */
function groupsOf(row: MembershipsRow | undefined): readonly MembersOfGroup[] {
  return JSON.parse(row?.groups ?? '[]') as readonly MembersOfGroup[]
}

interface MembershipsValues {
  readonly tenant: string
  readonly ids: unknown
}

const readMemberships = preparedQuery<ScimTables, MembershipsValues, MembershipsRow>(
  (db, value) => {
    const tenant = value('tenant')
    const [places, list] =
      engineOf(db).kind === 'sqlite'
        ? [
            sql`json_group_array(ids.place)`,
            sql`json_group_array(json_array(g.id, g.display_name, json(own.places)))`,
          ]
        : [
            sql`json_agg(ids.place)`,
            sql`coalesce(json_agg(json_build_array(g.id, g.display_name, own.places)), '[]')::text`,
          ]
    const query = sql<MembershipsRow>`select ${list} as groups from (
      select m.group_id, ${places} as places from ${placedIdTable(db, value('ids'))}
      cross join scim_member as m where m.tenant = ${tenant} and m.member_id = ids.id
      group by m.group_id) as own
    cross join scim_group as g where g.tenant = ${tenant} and g.id = own.group_id limit 1`
    return { compile: () => query.compile(db) }
  },
)
