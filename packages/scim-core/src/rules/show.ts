import type { Projection } from '../resource/project.ts'
import { managerId } from '../resource/present.ts'
import { ENTERPRISE_URN } from '../schema/enterprise.ts'
import type { ScimDocument } from '../resource/document.ts'
import type { GroupBrief, GroupRecord } from '../store/groups.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { UserBrief, UserRecord } from '../store/users.ts'
import type { Call } from './call.ts'

/**
 * The JSON texts of users with what stands in other tables: their groups and managers, each read
 * with one query for all, and only when the projection shows them (SC-34).
 */
export async function showUsers(
  store: ScimStore,
  call: Call,
  {
    records,
    projection,
  }: { readonly records: readonly UserRecord[]; readonly projection: Projection },
): Promise<string[]> {
  const groups = await groupsOf(store, call, { records, projection })
  const managers = await managersOf(store, call, records)
  return records.map((record) => {
    const manager = managers.get(managerId(record) ?? '')
    return projected(
      call.presenter.user(record, { groups: groups.get(record.id) ?? [], manager }),
      projection,
    )
  })
}

/** The JSON texts of groups; members are read only when the projection shows them. */
export async function showGroups(
  store: ScimStore,
  call: Call,
  {
    records,
    projection,
  }: { readonly records: readonly GroupRecord[]; readonly projection: Projection },
): Promise<string[]> {
  const texts: string[] = []
  for (const record of records) {
    const members = projection.includes('members')
      ? await memberTexts(store, call, record.id)
      : undefined
    texts.push(projected(call.presenter.group(record, members), projection))
  }
  return texts
}

async function groupsOf(
  store: ScimStore,
  { tenant }: Call,
  {
    records,
    projection,
  }: { readonly records: readonly UserRecord[]; readonly projection: Projection },
): Promise<Map<string, GroupBrief[]>> {
  if (records.length === 0 || !projection.includes('groups')) return new Map()
  return store.members.groupsOf(
    tenant,
    records.map(({ id }) => id),
  )
}

async function managersOf(
  store: ScimStore,
  { tenant }: Call,
  records: readonly UserRecord[],
): Promise<Map<string, UserBrief>> {
  const ids = new Set<string>()
  for (const record of records) {
    const id = record.data.includes(ENTERPRISE_URN) ? managerId(record) : undefined
    if (id !== undefined) ids.add(id)
  }
  return ids.size === 0 ? new Map() : store.users.briefs(tenant, [...ids])
}

async function memberTexts(store: ScimStore, call: Call, groupId: string): Promise<string[]> {
  const texts: string[] = []
  for await (const row of store.members.list(call.tenant, groupId)) {
    texts.push(call.presenter.member(row))
  }
  return texts
}

function projected(text: string, projection: Projection): string {
  return projection.whole ? text : JSON.stringify(projection.apply(parse(text)))
}

/** The text was made by the presenter, so it is an object. */
function parse(text: string): ScimDocument {
  return JSON.parse(text) as ScimDocument
}
