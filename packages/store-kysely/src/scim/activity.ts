import type { ActiveUser, ActivityNote, ActivityStore, UserActivity } from '@x/scim-core'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { engineOf } from '../engine/engine.ts'
import { atomic } from '../engine/transaction.ts'
import { chunks } from '../query/chunks.ts'
import { idList } from '../query/id-list.ts'
import { decodeText, encodeText } from '../records/columns.ts'
import type { ScimActivityRow, ScimTables } from '../schema/tables/scim.ts'

type Db = Kysely<ScimTables>
type Times = Omit<ScimActivityRow, 'tenant' | 'user_id'>

const HOUR_MS = 3_600_000
const AT_ONCE = 10_000
/** JSON that begins with the time, so that it can be compared. */
const TIME_END = '{"at":"2026-11-24T00:00:00.000Z"'.length

/** What directories asked and wrote of users, in SQL. */
export function createActivityStore(db: Db): ActivityStore {
  return {
    async record(tenant, notes) {
      const rows = notes.map((note) => rowOf(tenant, note))
      for (const kind of ['seen', 'written', 'refused'] as const) {
        // Ids in one order, so that processes that record the same users do not wait for each other in a circle.
        const given = rows
          .filter((_, index) => notes[index]?.kind === kind)
          .toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1))
        for (const some of chunks(given, 100)) await upsert(db, kind, some)
      }
    },
    async get(tenant, ids) {
      const found = new Map<string, UserActivity>()
      for (const chunk of chunks(ids, AT_ONCE)) {
        const rows = await db
          .selectFrom('scim_activity')
          .selectAll()
          .where('tenant', '=', tenant)
          .where('user_id', 'in', sql<string>`(select ids.id from ${idList(db, chunk)})`)
          .execute()
        for (const row of rows) found.set(row.user_id, activityOf(row))
      }
      return found
    },
    async sources(tenant) {
      const rows = await db
        .selectFrom('scim_activity')
        .select('source')
        .distinct()
        .where('tenant', '=', tenant)
        .where('source', 'is not', null)
        .execute()
      return rows.map(({ source }) => decodeText(source ?? ''))
    },
    async users(tenant, { after = '', limit, except = [] }) {
      const quiet = idList(db, except.map(encodeText))
      const { rows } = await sql<UserRow>`
        select u.id, u.user_name, u.external_id, u.active, u.created, a.user_id, a.seen_at, a.written_at,
          a.source, a.refusal, a.refused_since, a.missed_since
        from scim_user u left join scim_activity a on a.tenant = u.tenant and a.user_id = u.id
        where u.tenant = ${tenant} and u.id > ${after} and u.deleted_at is null
          and (a.source is null or a.seen_at is null or a.missed_since is not null
            or a.refusal is not null or a.source not in (select ids.id from ${quiet}))
        order by u.id limit ${limit}`.execute(db)
      return rows.map(userOf)
    },
    missed: (tenant, { at, missed, found }) =>
      atomic(db, async (tx) => {
        for (const chunk of chunks(missed, AT_ONCE)) {
          const rows = sql`select ${tenant}, ids.id, cast(${at.getTime()} as ${bigint(tx)})
            from ${idList(tx, chunk)} where true`
          await sql`insert into scim_activity (tenant, user_id, missed_since) ${rows}
            on conflict (tenant, user_id) do update set missed_since = excluded.missed_since
            where scim_activity.missed_since is null`.execute(tx)
        }
        for (const chunk of chunks(found, AT_ONCE)) {
          await sql`update scim_activity set missed_since = null where tenant = ${tenant}
            and missed_since is not null and user_id in (select ids.id from ${idList(tx, chunk)})`.execute(
            tx,
          )
        }
      }),
  }
}

const bigint = (db: Db): RawBuilder<unknown> =>
  engineOf(db).kind === 'sqlite' ? sql`integer` : sql`bigint`

interface UserRow extends Times {
  readonly id: string
  readonly user_name: string
  readonly external_id: string | null
  readonly active: number | null
  readonly created: number
  /** null: nothing is known. */
  readonly user_id: string | null
}

function userOf(row: UserRow): ActiveUser {
  return {
    id: row.id,
    userName: decodeText(row.user_name),
    externalId: row.external_id === null ? null : decodeText(row.external_id),
    active: row.active === 1,
    created: new Date(row.created),
    activity: row.user_id === null ? null : activityOf(row),
  }
}

function activityOf(row: Times): UserActivity {
  const { source, refusal } = row
  return {
    lastSeenAt: timeOf(row.seen_at),
    lastWrittenAt: timeOf(row.written_at),
    source: source === null ? null : decodeText(source),
    refusal: refusal === null ? null : refusalOf(refusal),
    refusedSince: timeOf(row.refused_since),
    missedSince: timeOf(row.missed_since),
  }
}

const timeOf = (column: number | null): Date | null => (column === null ? null : new Date(column))

function refusalOf(text: string): NonNullable<UserActivity['refusal']> {
  const { at, status, scimType, detail } = JSON.parse(text) as {
    readonly at: string
    readonly status: number
    readonly scimType: string | null
    readonly detail: string
  }
  return { at: new Date(at), status, scimType, detail }
}

function rowOf(
  tenant: string,
  { userId, at, kind, source, refusal }: ActivityNote,
): ScimActivityRow {
  const time = at.getTime()
  const isWritten = kind === 'written'
  return {
    tenant,
    user_id: userId,
    seen_at: time,
    written_at: isWritten ? time : null,
    source: isWritten && source !== null ? encodeText(source) : null,
    refusal:
      refusal === null
        ? null
        : JSON.stringify({
            at: refusal.at,
            status: refusal.status,
            scimType: refusal.scimType,
            detail: refusal.detail,
          }),
    refused_since: kind === 'refused' ? time : null,
    missed_since: null,
  }
}

/** Rows are only rewritten if a time becomes newer by an hour, or another fact changes. */
async function upsert(
  db: Db,
  kind: ActivityNote['kind'],
  rows: readonly ScimActivityRow[],
): Promise<void> {
  const insert = db.insertInto('scim_activity').values(rows)
  const now = sql`excluded.seen_at`
  const isOld = (column: string) =>
    sql<boolean>`(${sql.ref(`scim_activity.${column}`)} is null
      or ${sql.ref(`scim_activity.${column}`)} <= ${now} - ${sql.lit(HOUR_MS)})`
  const key = ['tenant', 'user_id'] as const
  if (kind === 'seen') {
    const seen = insert.onConflict((conflict) =>
      conflict
        .columns([...key])
        .doUpdateSet({ seen_at: sql`excluded.seen_at` })
        .where(isOld('seen_at')),
    )
    await seen.execute()
    return
  }
  if (kind === 'written') {
    const written = insert.onConflict((conflict) =>
      conflict
        .columns([...key])
        .doUpdateSet({
          seen_at: sql`excluded.seen_at`,
          written_at: sql`excluded.written_at`,
          source: sql`excluded.source`,
          refusal: null,
          refused_since: null,
        })
        .where(
          sql<boolean>`(${isOld('written_at')} or scim_activity.refusal is not null
            or scim_activity.source is distinct from excluded.source)`,
        ),
    )
    await written.execute()
    return
  }
  const latest = rows.reduce((most, { seen_at: time }) => Math.max(most, time ?? 0), 0)
  const hourAgo = JSON.stringify({ at: new Date(latest - HOUR_MS) }).slice(0, TIME_END)
  const refused = insert.onConflict((conflict) =>
    conflict
      .columns([...key])
      .doUpdateSet({
        seen_at: sql`excluded.seen_at`,
        refusal: sql`excluded.refusal`,
        refused_since: sql`coalesce(scim_activity.refused_since, excluded.refused_since)`,
      })
      .where(
        sql<boolean>`(scim_activity.refusal is null
          or substr(scim_activity.refusal, 1, ${sql.lit(TIME_END)}) <= ${hourAgo})`,
      ),
  )
  await refused.execute()
}
