import { UniqueConflictError, type ScimStore } from '@x/scim-core'
import {
  createScanStore,
  type ScanGroup,
  type ScanMember,
  type ScanStoreOptions,
  type ScanUser,
} from '@x/scim-core/scan'
import { DatabaseError } from '@x/store-kysely'
import { sql, type Kysely } from 'kysely'

/** Tables of a host, which know nothing of SCIM but what they are asked to keep. */
export const HOST_TABLES = [
  `create table account (org text not null, id text not null, email text not null, email_key text,
    row text not null, primary key (org, id))`,
  `create unique index account_email on account (org, email_key)`,
  `create table team (org text not null, id text not null, row text not null, primary key (org, id))`,
  `create table team_member (org text not null, team_id text not null, account_id text not null,
    added_at integer not null, primary key (org, team_id, account_id))`,
]

const DATES: ReadonlySet<string> = new Set(['created', 'lastModified', 'deletedAt', 'addedAt'])

function parse(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) =>
    DATES.has(key) && typeof value === 'string' ? new Date(value) : value,
  )
}

type Hooks = Pick<ScanStoreOptions<Kysely<unknown>>, 'onUserWrite' | 'onGroupWrite'>

/** A scan store over them; `load` gives everything, whatever is wanted. */
export function scanTables(db: Kysely<unknown>, hooks: Hooks = {}): ScimStore {
  return createScanStore<Kysely<unknown>>({
    ...hooks,
    keepsDeleted: true,
    transaction: (_tenant, work) => db.transaction().execute(work),

    async load(org, tx) {
      const read = async (table: string): Promise<{ row: string }[]> =>
        (
          await sql<{
            row: string
          }>`select row from ${sql.table(table)} where org = ${org}`.execute(tx)
        ).rows
      const members = await sql<{ team_id: string; account_id: string; added_at: number }>`
        select * from team_member where org = ${org}`.execute(tx)
      return {
        users: (await read('account')).map(({ row }) => parse(row) as ScanUser),
        groups: (await read('team')).map(({ row }) => parse(row) as ScanGroup),
        members: members.rows.map((row): ScanMember => ({
          groupId: row.team_id,
          memberId: row.account_id,
          addedAt: new Date(row.added_at),
        })),
      }
    },

    async save(org, { users, groups, members }, tx) {
      for (const { groupId, memberId } of members.removed) {
        await sql`delete from team_member where org = ${org} and team_id = ${groupId}
          and account_id = ${memberId}`.execute(tx)
      }
      for (const { id } of groups.removed) {
        await sql`delete from team where org = ${org} and id = ${id}`.execute(tx)
      }
      for (const { id } of users.removed) {
        await sql`delete from account where org = ${org} and id = ${id}`.execute(tx)
      }
      for (const user of [...users.inserted, ...users.updated.map(({ after }) => after)]) {
        const key = user.deletedAt == null ? user.userName.toLowerCase() : null
        try {
          await sql`insert into account (org, id, email, email_key, row)
            values (${org}, ${user.id}, ${user.userName}, ${key}, ${JSON.stringify(user)})
            on conflict (org, id) do update set email = excluded.email, email_key = excluded.email_key,
              row = excluded.row`.execute(tx)
        } catch (error) {
          const taken = error instanceof DatabaseError && error.kind === 'unique'
          throw taken ? new UniqueConflictError('user.userName', { cause: error }) : error
        }
      }
      for (const group of [...groups.inserted, ...groups.updated.map(({ after }) => after)]) {
        await sql`insert into team (org, id, row) values (${org}, ${group.id}, ${JSON.stringify(group)})
          on conflict (org, id) do update set row = excluded.row`.execute(tx)
      }
      for (const { groupId, memberId, addedAt } of members.added) {
        await sql`insert into team_member (org, team_id, account_id, added_at)
          values (${org}, ${groupId}, ${memberId}, ${addedAt?.getTime() ?? 0})`.execute(tx)
      }
    },
  })
}
