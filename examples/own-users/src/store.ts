import { UniqueConflictError, type ScimStore } from '@x/scim-core'
import {
  createScanStore,
  type ScanChanges,
  type ScanUser,
  type ScanRequest,
} from '@x/scim-core/scan'
import { DatabaseError } from '@x/store-kysely'
import { sql } from 'kysely'
import { announce, updateRoles } from './roles.ts'
import type { Db, Tables } from './tables.ts'

/** A SCIM store on the tables of the app. Each tenant is an organisation. */
export function createAppStore(db: Db): ScimStore {
  return createScanStore<Db>({
    transaction: (_organisation, work) => db.transaction().execute(work),
    load: async (organisation, tx, want) => ({
      ...(await loadUsers(tx, organisation, want.users)),
      groups: await loadGroups(tx, organisation, want.groups),
      members: await loadMembers(tx, organisation, want.members),
    }),
    save,
  })
}

async function loadUsers(tx: Db, organisation: string, want: ScanRequest['users']) {
  if (want === 'none') return { users: [] }
  let query = tx.selectFrom('users').selectAll().where('organisation_id', '=', organisation)
  if (want !== 'all' && 'ids' in want) query = query.where('id', 'in', want.ids)
  else if (want !== 'all' && 'userNameKey' in want) {
    // SQLite folds ASCII only; the scan store compares the rest.
    query = query.where(sql<boolean>`(lower(email) = ${want.userNameKey} or email glob '*[^ -~]*')`)
  }
  if (want === 'all' || !('page' in want)) {
    return { users: (await query.execute()).map(toScim) }
  }
  const { offset, limit } = want.page
  const { total } = await tx
    .selectFrom('users')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('organisation_id', '=', organisation)
    .executeTakeFirstOrThrow()
  const page = await query.orderBy('id').limit(limit).offset(offset).execute()
  return { users: page.map(toScim), totalUsers: total }
}

function toScim({ id, email, name, status }: Tables['users']): ScanUser {
  const attributes = name === null ? {} : { displayName: name }
  return { id, userName: email, active: status === 'active', attributes }
}

async function loadGroups(tx: Db, organisation: string, want: ScanRequest['groups']) {
  if (want === 'none') return []
  let query = tx
    .selectFrom('directory_groups')
    .select(['id', 'name as displayName'])
    .where('organisation_id', '=', organisation)
  if (want !== 'all' && 'ids' in want) query = query.where('id', 'in', want.ids)
  return query.execute()
}

async function loadMembers(tx: Db, organisation: string, want: ScanRequest['members']) {
  if (want === 'none') return []
  let query = tx
    .selectFrom('directory_group_members as m')
    .innerJoin('directory_groups as g', 'g.id', 'm.group_id')
    .select(['m.group_id as groupId', 'm.user_id as memberId'])
    .where('g.organisation_id', '=', organisation)
  if (want !== 'all' && 'groupIds' in want) query = query.where('m.group_id', 'in', want.groupIds)
  if (want !== 'all' && 'memberIds' in want) query = query.where('m.user_id', 'in', want.memberIds)
  return query.execute()
}

async function save(
  organisation: string,
  { users, groups, members }: ScanChanges,
  tx: Db,
): Promise<void> {
  for (const { groupId, memberId } of members.removed) {
    await tx
      .deleteFrom('directory_group_members')
      .where('group_id', '=', groupId)
      .where('user_id', '=', memberId)
      .execute()
  }
  for (const { id } of groups.removed) {
    await tx.deleteFrom('directory_groups').where('id', '=', id).execute()
  }
  for (const { id } of users.removed) {
    await tx.deleteFrom('memberships').where('user_id', '=', id).execute()
    await tx.deleteFrom('users').where('id', '=', id).execute()
  }
  for (const user of users.inserted) {
    const row = { id: user.id, organisation_id: organisation, ...columnsOf(user) }
    await unique(() => tx.insertInto('users').values(row).execute())
    const membership = { user_id: user.id, organisation_id: organisation, role: 'member' as const }
    await tx.insertInto('memberships').values(membership).execute()
  }
  for (const { before, after } of users.updated) {
    const columns = columnsOf(after)
    await unique(() => tx.updateTable('users').set(columns).where('id', '=', after.id).execute())
    if (columns.status === columnsOf(before).status) continue
    const type = columns.status === 'active' ? 'user.enabled' : 'user.disabled'
    await announce(tx, organisation, { type, userId: after.id })
  }
  for (const { id, displayName: name } of groups.inserted) {
    const row = { id, organisation_id: organisation, name }
    await tx.insertInto('directory_groups').values(row).execute()
  }
  for (const { after } of groups.updated) {
    const name = after.displayName
    await tx.updateTable('directory_groups').set({ name }).where('id', '=', after.id).execute()
  }
  for (const { groupId: group_id, memberId: user_id } of members.added) {
    await tx.insertInto('directory_group_members').values({ group_id, user_id }).execute()
  }
  const moved = new Set([...members.added, ...members.removed].map(({ memberId }) => memberId))
  for (const { id } of groups.updated.map(({ after }) => after)) {
    const inside = await loadMembers(tx, organisation, { groupIds: [id] })
    for (const { memberId } of inside) moved.add(memberId)
  }
  await updateRoles(tx, organisation, moved)
}

/** The columns of a user. Without a display name, it is composed from the parts of the name. */
function columnsOf({ userName, active, attributes = {} }: ScanUser) {
  const { displayName, name } = attributes
  const parts = (name ?? {}) as Readonly<Record<string, string | undefined>>
  const whole = [parts['givenName'], parts['familyName']].filter((part) => part !== undefined)
  const shown = displayName ?? parts['formatted'] ?? (whole.length > 0 ? whole.join(' ') : null)
  const status = active === true ? ('active' as const) : ('disabled' as const)
  return { email: userName, name: typeof shown === 'string' ? shown : null, status }
}

/** The app's unique index decides, including for its own sign-up page. */
async function unique(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    const isTaken = error instanceof DatabaseError && error.kind === 'unique'
    throw isTaken ? new UniqueConflictError('user.userName', { cause: error }) : error
  }
}
