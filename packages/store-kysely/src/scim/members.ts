import type { MemberRow, MemberStore } from '@x/scim-core'
import { sql, type Kysely } from 'kysely'
import { chunks } from '../query/chunks.ts'
import { engineOf } from '../engine/engine.ts'
import { preparedQuery } from '../query/prepared-query.ts'
import { idList } from '../query/id-list.ts'
import type { ScimTables } from '../schema/tables/scim.ts'
import { atomic } from '../engine/transaction.ts'
import { groupsOfMembers } from './groups-of-members.ts'
import { toMember, type JoinedMember } from './member-row.ts'
import { membersOfGroups } from './members-of-groups.ts'

type Db = Kysely<ScimTables>

/** Members read at once; a group is never loaded as a whole. */
const PAGE = 1000

/** Memberships as rows of a relation: the cost of a change does not depend on the size of a group. */
export function createMemberStore(db: Db): MemberStore {
  return {
    async add(tenant, groupId, memberIds, at) {
      const one = memberIds.length === 1 ? memberIds[0] : undefined
      if (one !== undefined) {
        const values = { tenant, group_id: groupId, member_id: one, added_at: at.getTime() }
        return (await addOne.run(db, values)).changed > 0 ? [one] : []
      }
      return changeMany(db, memberIds, (tx, ids) =>
        sql<{ member_id: string }>`insert into scim_member (tenant, group_id, added_at, member_id)
          select ${tenant}, ${groupId}, ${at.getTime()}, ids.id from ${idList(tx, ids)} where true
          on conflict do nothing returning member_id`.execute(tx),
      )
    },

    async remove(tenant, groupId, memberIds) {
      const one = memberIds.length === 1 ? memberIds[0] : undefined
      if (one !== undefined) {
        const { changed } = await removeOne.run(db, { tenant, groupId, memberId: one })
        return changed > 0 ? [one] : []
      }
      return changeMany(db, memberIds, (tx, ids) =>
        sql<{ member_id: string }>`delete from scim_member where tenant = ${tenant}
          and member_id in (select ids.id from ${idList(tx, ids)}) and ${outOfIndex(tx)} = ${groupId}
          returning member_id`.execute(tx),
      )
    },

    clear: (tenant, groupId) => atomic(db, (tx) => clearGroup(tx, tenant, groupId)),

    async removeUser(tenant, memberId) {
      const rows = await db
        .deleteFrom('scim_member')
        .where('tenant', '=', tenant)
        .where('member_id', '=', memberId)
        .returning('group_id')
        .execute()
      return rows.map(({ group_id }) => group_id).toSorted()
    },

    async count(tenant, groupId, upTo) {
      const { rows } =
        upTo === undefined
          ? await countMembers.run(db, { tenant, groupId })
          : await countSome.run(db, { tenant, groupId, upTo })
      return rows[0]?.total ?? 0
    },

    async countAll(tenant, limit) {
      const { rows } = await sql<{ total: number }>`select count(*) as total from (
        select 1 from scim_member where tenant = ${tenant} limit ${limit}) as counted`.execute(db)
      return rows[0]?.total ?? 0
    },

    async has(tenant, groupId, memberIds) {
      const found = new Set<string>()
      for (const ids of chunks(memberIds)) {
        const { rows } = await sql<{ member_id: string }>`select member_id from scim_member
          where tenant = ${tenant} and member_id in (select ids.id from ${idList(db, ids)})
          and ${outOfIndex(db)} = ${groupId}`.execute(db)
        for (const { member_id } of rows) found.add(member_id)
      }
      return found
    },

    list: (tenant, groupId, page) => listMembers(db, { tenant, groupId, ...page }),

    pages: (tenant, groupId) => listPages(db, { tenant, groupId }),

    ofGroups: (tenant, groupIds, limit) => membersOfGroups(db, tenant, { groupIds, limit }),

    groupsOf: (tenant, memberIds) => groupsOfMembers(db, tenant, memberIds),
  }
}

/** Keeps SQLite from scanning the whole group instead of looking up the members individually. */
function outOfIndex(db: Db) {
  return engineOf(db).kind === 'sqlite' ? sql`+group_id` : sql`group_id`
}

/** The changed ids, in the given order. Locks are taken in a fixed order to avoid deadlocks. */
async function changeMany(
  db: Db,
  memberIds: readonly string[],
  change: (tx: Db, ids: string[]) => Promise<{ rows: { member_id: string }[] }>,
): Promise<string[]> {
  if (memberIds.length === 0) return []
  const changed = new Set<string>()
  await atomic(db, async (tx) => {
    for (const ids of chunks([...new Set(memberIds)].toSorted())) {
      const { rows } = await change(tx, ids)
      for (const { member_id } of rows) changed.add(member_id)
    }
  })
  return memberIds.filter((id) => changed.delete(id))
}

/** Each page begins after the one before, because PostgreSQL keeps removed rows until the end of the transaction. */
async function clearGroup(tx: Db, tenant: string, groupId: string): Promise<number> {
  let place = FIRST
  for (let total = 0; ;) {
    const { rows } = await sql<{ added_at: number; member_id: string }>`delete from scim_member
      where tenant = ${tenant} and group_id = ${groupId} and (added_at, member_id) in
      (select added_at, member_id from scim_member where tenant = ${tenant} and group_id = ${groupId}
      and (added_at, member_id) > (${place.addedAt}, ${place.memberId})
      order by added_at, member_id limit ${PAGE}) returning added_at, member_id`.execute(tx)
    total += rows.length
    if (rows.length < PAGE) return total
    for (const row of rows)
      if (isAfter(row, place)) place = { addedAt: row.added_at, memberId: row.member_id }
  }
}

function isAfter(
  row: { readonly added_at: number; readonly member_id: string },
  place: typeof FIRST,
): boolean {
  return row.added_at === place.addedAt
    ? row.member_id > place.memberId
    : row.added_at > place.addedAt
}

interface MemberPage {
  readonly tenant: string
  readonly groupId: string
  readonly after?: string
  readonly limit?: number
}

async function* listMembers(db: Db, page: MemberPage): AsyncGenerator<MemberRow> {
  for await (const members of listPages(db, page)) yield* members
}

async function* listPages(db: Db, page: MemberPage): AsyncGenerator<readonly MemberRow[]> {
  const { tenant, groupId, after, limit = Number.POSITIVE_INFINITY } = page
  let place = after === undefined ? FIRST : await placeOf(db, { tenant, groupId, memberId: after })
  for (let left = limit; left > 0;) {
    const size = Math.min(PAGE, left)
    const { rows } = await readMembers.run(db, { tenant, groupId, ...place, size })
    yield rows.map(toMember).filter((member) => member !== null)
    const last = rows.at(-1)
    if (last === undefined || rows.length < size) return
    place = { addedAt: last.added_at, memberId: last.member_id }
    left -= rows.length
  }
}

const FIRST = { addedAt: Number.MIN_SAFE_INTEGER, memberId: '' }

/** An id that is not (or no longer) a member starts from the beginning. */
async function placeOf(
  db: Db,
  key: { readonly tenant: string; readonly groupId: string; readonly memberId: string },
): Promise<typeof FIRST> {
  const { rows } = await findMember.run(db, key)
  const row = rows[0]
  return row === undefined ? FIRST : { addedAt: row.added_at, memberId: key.memberId }
}

interface MemberValues {
  readonly tenant: string
  readonly group_id: string
  readonly added_at: number
  readonly member_id: string
}

const addOne = preparedQuery<ScimTables, MemberValues, never>((db, value) =>
  db
    .insertInto('scim_member')
    .values({
      tenant: value('tenant'),
      group_id: value('group_id'),
      added_at: value('added_at'),
      member_id: value('member_id'),
    })
    .onConflict((conflict) => conflict.doNothing()),
)

interface MemberKey {
  readonly tenant: string
  readonly groupId: string
  readonly memberId: string
}

const removeOne = preparedQuery<ScimTables, MemberKey, never>((db, value) =>
  db
    .deleteFrom('scim_member')
    .where('tenant', '=', value('tenant'))
    .where('member_id', '=', value('memberId'))
    .where('group_id', '=', value('groupId')),
)

const findMember = preparedQuery<ScimTables, MemberKey, { added_at: number }>((db, value) =>
  db
    .selectFrom('scim_member')
    .select('added_at')
    .where('tenant', '=', value('tenant'))
    .where('member_id', '=', value('memberId'))
    .where('group_id', '=', value('groupId')),
)

const countMembers = preparedQuery<ScimTables, Omit<MemberKey, 'memberId'>, { total: number }>(
  (db, value) =>
    db
      .selectFrom('scim_member')
      .select((expression) => expression.fn.countAll<number>().as('total'))
      .where('tenant', '=', value('tenant'))
      .where('group_id', '=', value('groupId')),
)

const countSome = preparedQuery<
  ScimTables,
  Omit<MemberKey, 'memberId'> & { readonly upTo: number },
  { total: number }
>((db, value) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('scim_member')
        .select('member_id')
        .where('tenant', '=', value('tenant'))
        .where('group_id', '=', value('groupId'))
        .limit(value('upTo'))
        .as('counted'),
    )
    .select((expression) => expression.fn.countAll<number>().as('total')),
)

const readMembers = preparedQuery<
  ScimTables,
  MemberKey & { readonly addedAt: number; readonly size: number },
  JoinedMember
>((db, value) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('scim_member')
        .select(['tenant', 'member_id', 'added_at'])
        .where('tenant', '=', value('tenant'))
        .where('group_id', '=', value('groupId'))
        .where(sql<boolean>`(added_at, member_id) > (${value('addedAt')}, ${value('memberId')})`)
        .orderBy('added_at')
        .orderBy('member_id')
        .limit(value('size'))
        .as('m'),
    )
    .leftJoin('scim_user as u', (join) =>
      join
        .onRef('u.tenant', '=', 'm.tenant')
        .onRef('u.id', '=', 'm.member_id')
        .on('u.deleted_at', 'is', null),
    )
    .leftJoin('scim_group as g', (join) =>
      join.onRef('g.tenant', '=', 'm.tenant').onRef('g.id', '=', 'm.member_id'),
    )
    .select([
      'm.member_id',
      'm.added_at',
      'u.id as user_id',
      'u.display',
      'g.id as group_id',
      'g.display_name',
    ])
    .orderBy('m.added_at')
    .orderBy('m.member_id'),
)
