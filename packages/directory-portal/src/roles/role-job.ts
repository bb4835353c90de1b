import type { ScimStore } from '@x/scim-core'
import type { RoleSettings } from '../store/role-store.ts'

/** The people whom a change of rules may concern, and how far they have been looked at. */
export interface RoleJob {
  /** Groups that are still to be looked at, the first one from `after` on. */
  readonly groups: readonly string[]
  /** The whole directory instead, because the default has changed. */
  readonly everyone: boolean
  /** The member or user that was the last of the page before. */
  readonly after: string | null
  readonly done: number
  readonly total: number
}

const PAGE = 1_000

type Rules = Pick<RoleSettings, 'rules' | 'default'>

/** Where to begin; null: nobody is concerned. */
export function firstPage(known: RoleSettings, wanted: Rules): RoleJob | null {
  const rolesOf = (rules: Rules['rules'], groupId: string): string =>
    JSON.stringify(
      rules
        .filter((rule) => rule.groupId === groupId)
        .map(({ role }) => role)
        .toSorted(),
    )
  const all = [...known.rules, ...wanted.rules].map(({ groupId }) => groupId)
  const left = known.applying as RoleJob | null
  const everyone = known.default !== wanted.default || left?.everyone === true
  const changed = [...new Set(all)].filter(
    (id) => rolesOf(known.rules, id) !== rolesOf(wanted.rules, id),
  )
  const groups = everyone ? [] : [...new Set([...changed, ...(left?.groups ?? [])])]
  if (groups.length === 0 && !everyone) return null
  return { groups, everyone, after: null, done: 0, total: 0 }
}

/** The same with the number of people. */
export async function jobOf(
  directory: ScimStore,
  tenant: string,
  { known, wanted }: { readonly known: RoleSettings; readonly wanted: Rules },
): Promise<RoleJob | null> {
  const job = firstPage(known, wanted)
  if (job === null) return null
  let total = 0
  if (job.everyone) ({ total } = await directory.users.list(tenant, { limit: 0, withTotal: true }))
  for (const id of job.groups) total += await directory.members.count(tenant, id)
  return { ...job, total }
}

/** The next people, and how it goes on; null: it does not. */
export async function nextPage(
  directory: ScimStore,
  tenant: string,
  job: RoleJob,
): Promise<{ readonly ids: readonly string[]; readonly next: RoleJob | null }> {
  const { everyone, groups, done } = job
  const { ids, after } = everyone
    ? await pageOfUsers(directory, tenant, job.after)
    : await pageOfMembers(directory, tenant, { id: groups[0] ?? '', after: job.after })
  const left = after === null && !everyone ? groups.slice(1) : groups
  const isOver = after === null && left.length === 0
  return { ids, next: isOver ? null : { ...job, groups: left, after, done: done + ids.length } }
}

async function pageOfMembers(
  { members }: ScimStore,
  tenant: string,
  { id, after }: { readonly id: string; readonly after: string | null },
) {
  const ids: string[] = []
  const page = { limit: PAGE, ...(after !== null && { after }) }
  for await (const member of members.list(tenant, id, page)) ids.push(member.id)
  return { ids, after: ids.length < PAGE ? null : (ids.at(-1) ?? null) }
}

/** A place among all users: when one was created, and its id. */
const PLACE = /^(\d+) (.+)$/s

async function pageOfUsers({ users }: ScimStore, tenant: string, after: string | null) {
  const [, created = '', id = ''] = PLACE.exec(after ?? '') ?? []
  const { records } = await users.list(tenant, {
    limit: PAGE,
    withTotal: false,
    ...(id !== '' && { after: { created: new Date(Number(created)), id, key: null } }),
  })
  const last = records.at(-1)
  return {
    ids: records.map((record) => record.id),
    after:
      last === undefined || records.length < PAGE ? null : `${last.created.getTime()} ${last.id}`,
  }
}
