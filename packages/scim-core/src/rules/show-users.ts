import type { Projection } from '../resource/project.ts'
import { managerId } from '../resource/present.ts'
import type { ScimDocument } from '../base/document.ts'
import type { GroupBrief } from '../store/groups.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { UserSummary, UserRecord } from '../store/users.ts'
import type { Call } from './call.ts'

/**
 * Serialises users with their groups and managers, each read with one query for all users, and only if the
 * projection includes them.
 */
export function showUsers(
  store: ScimStore,
  call: Call,
  { records, projection }: ShownUsers,
): Promise<string[]> | string[] {
  const asked = projection.includes('groups') ? records.filter(isUnread) : []
  const managing = managerIds(records)
  const shown = { records, projection }
  // Most pages need nothing more, and an unnecessary await costs as much as serialising a user.
  if (asked.length === 0 && managing.length === 0) return userTexts(call, shown, NOTHING)
  return readRelated(store, call, { asked, managing }).then((related) =>
    userTexts(call, shown, related),
  )
}

interface ShownUsers {
  readonly records: readonly UserRecord[]
  readonly projection: Projection
}

/** Records of other tables, by user id and by manager id. */
interface Related {
  readonly groups: ReadonlyMap<string, readonly GroupBrief[]>
  readonly managers: ReadonlyMap<string, UserSummary>
}

const NOTHING: Related = { groups: new Map(), managers: new Map() }

async function readRelated(
  store: ScimStore,
  call: Call,
  {
    asked,
    managing,
  }: { readonly asked: readonly UserRecord[]; readonly managing: readonly string[] },
): Promise<Related> {
  return {
    groups: asked.length === 0 ? NOTHING.groups : await groupsOf(store, call, asked),
    managers:
      managing.length === 0 ? NOTHING.managers : await store.users.briefs(call.tenant, managing),
  }
}

function userTexts(
  { presenter }: Call,
  { records, projection }: ShownUsers,
  { groups, managers }: Related,
): string[] {
  // Users of a page share their groups.
  const references = new Map<GroupBrief, string>()
  const referenceTo = (group: GroupBrief): string => {
    const known = references.get(group)
    if (known !== undefined) return known
    const text = presenter.groupReference(group)
    references.set(group, text)
    return text
  }
  return records.map((record) => {
    const manager = managers.size === 0 ? undefined : managers.get(managerId(record) ?? '')
    const own = record.groups ?? groups.get(record.id) ?? NO_GROUPS
    const text = presenter.user(record, { groups: own.map(referenceTo), manager })
    return projected(text, projection)
  })
}

const NO_GROUPS: readonly GroupBrief[] = []

/** Returns whether the groups of a record were not read along with it. */
function isUnread(record: UserRecord): boolean {
  return record.groups === undefined
}

async function groupsOf(
  store: ScimStore,
  { tenant }: Call,
  records: readonly UserRecord[],
): Promise<ReadonlyMap<string, readonly GroupBrief[]>> {
  return store.members.groupsOf(
    tenant,
    records.map(({ id }) => id),
  )
}

function managerIds(records: readonly UserRecord[]): readonly string[] {
  const ids = records.map(managerId).filter((id) => id !== undefined)
  return ids.length === 0 ? ids : [...new Set(ids)]
}

function projected(text: string, projection: Projection): string {
  return projection.whole ? text : JSON.stringify(projection.apply(parse(text)))
}

/** The JSON was created by the presenter, so it is an object. */
function parse(text: string): ScimDocument {
  return JSON.parse(text) as ScimDocument
}
