import type { GroupBrief } from '@x/scim-core'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import type { ScimTables } from '../schema/tables/scim.ts'

/** A user row read together with its groups, as JSON: `[[id, displayName], ...]` by id. */
export interface UserGroupsRow {
  readonly groups: string
}

/** Reads the groups of a user together with its row: one statement instead of two. */
export function userGroups(db: Kysely<ScimTables>): RawBuilder<string> {
  const memberships = sql`from scim_member as m
    join scim_group as g on g.tenant = m.tenant and g.id = m.group_id
    where m.tenant = scim_user.tenant and m.member_id = scim_user.id`
  return engineOf(db).kind === 'sqlite'
    ? sql`(select json_group_array(json_array(id, display_name)) from
        (select g.id, g.display_name ${memberships} order by m.group_id))`
    : sql`(select coalesce(json_agg(json_build_array(g.id, g.display_name) order by g.id), '[]')::text
        ${memberships})`
}

/** The groups in a row, in the form of records. */
export function readGroups(groups: string): readonly GroupBrief[] {
  return groups === '[]' ? NONE : briefs(groups)
}

const NONE: readonly GroupBrief[] = []

/** The JSON was created by the query. */
function briefs(json: string): readonly GroupBrief[] {
  const pairs = JSON.parse(json) as readonly (readonly [id: string, displayName: string])[]
  return pairs.map(([id, displayName]) => ({ id, displayName }))
}
