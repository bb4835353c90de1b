import type { RoleSettings, RoleStore, RoleTransaction } from '@x/directory-portal'
import { sql, type Kysely } from 'kysely'
import { atomic, locksRows } from '../engine/transaction.ts'
import { idList } from '../query/id-list.ts'
import { json, nullable, text } from '../records/columns.ts'
import type { PortalRoleRow, PortalTables } from '../schema/tables/portal.ts'
import { createScimStore } from '../scim/store.ts'

type Db = Kysely<PortalTables>

const rules = json<RoleSettings['rules']>()
const applying = nullable(json<object>())
const roles = json<readonly string[]>()

export function rolePart(db: Db): RoleStore {
  return {
    within: (handle, work) =>
      handle === undefined
        ? atomic(db, (tx) => work(transactionOf(tx)))
        : work(transactionOf(handle as Db)),
    async told(tenant, ids, handle = db) {
      const { rows } = await sql<{ user_id: string; roles: string }>`select user_id, roles
        from portal_person_role where tenant = ${text.encode(tenant)}
        and user_id in (select ids.id from ${idList(db, ids)})`.execute(handle as Db)
      return new Map(rows.map((row) => [row.user_id, roles.decode(row.roles)]))
    },
    async applying(limit) {
      const query = db.selectFrom('portal_role').select('tenant').where('applying', 'is not', null)
      const found = await query.orderBy('tenant').limit(limit).execute()
      return found.map(({ tenant }) => text.decode(tenant))
    },
  }
}

function transactionOf(tx: Db): RoleTransaction {
  return {
    handle: tx,
    directory: createScimStore(tx),
    settings: (tenant, use) => settingsOf(tx, tenant, use),
    async save(tenant, settings) {
      const row = {
        rules: rules.encode(settings.rules),
        default_role: settings.default,
        applying: applying.encode(settings.applying),
      }
      await tx
        .insertInto('portal_role')
        .values({ tenant: text.encode(tenant), ...row })
        .onConflict((conflict) => conflict.column('tenant').doUpdateSet(row))
        .execute()
    },
    people: (tenant, ids) => peopleOf(tx, tenant, ids),
    async tell(tenant, told) {
      const people = [...told].toSorted(([a], [b]) => (a < b ? -1 : 1))
      const rows = people.map(([id, own]) =>
        JSON.stringify([text.encode(tenant), id, roles.encode(own)]),
      )
      await sql`insert into portal_person_role (tenant, user_id, roles)
        select ${field(tx, 0)}, ${field(tx, 1)}, ${field(tx, 2)} from ${idList(tx, rows)} where true
        on conflict (tenant, user_id) do update set roles = excluded.roles`.execute(tx)
    },
  }
}

/** A part of a row that is passed as a JSON list. */
const field = (tx: Db, at: number) =>
  locksRows(tx)
    ? sql`ids.id::json ->> ${sql.lit(at)}`
    : sql`json_extract(ids.id, ${sql.lit(`$[${at}]`)})`

/** Those who replace the rules exclude the writes of the directory that read them. */
async function settingsOf(
  tx: Db,
  tenant: string,
  use: 'read' | 'update' | 'replace',
): Promise<RoleSettings | null> {
  const key = text.encode(tenant)
  if (locksRows(tx)) {
    const lock = sql.raw(use === 'replace' ? '' : '_shared')
    await sql`select pg_advisory_xact_lock${lock}(hashtext('portal_role'), hashtext(${key}))`.execute(
      tx,
    )
  }
  const end = locksRows(tx) && use !== 'read' ? sql`for update` : sql``
  const { rows } = await sql<PortalRoleRow>`select rules, default_role, applying from portal_role
    where tenant = ${key} ${end}`.execute(tx)
  const [row] = rows
  if (row === undefined) return null
  return {
    rules: rules.decode(row.rules),
    default: row.default_role,
    applying: applying.decode(row.applying),
  }
}

/** Concurrent changes of a person follow one another, so that the last one sees what all of them did. */
async function peopleOf(tx: Db, tenant: string, ids: readonly string[]) {
  const given = idList(tx, [...new Set(ids)])
  if (locksRows(tx))
    await sql`select id from scim_user where tenant = ${tenant} and deleted_at is null
      and id in (select ids.id from ${given}) order by id for no key update`.execute(tx)
  const { rows } = await sql<{ id: string; active: number | null; roles: string | null }>`
    select ids.id, u.active, r.roles from ${given}
    left join scim_user u on u.tenant = ${tenant} and u.id = ids.id and u.deleted_at is null
    left join portal_person_role r on r.tenant = ${text.encode(tenant)} and r.user_id = ids.id`.execute(
    tx,
  )
  return new Map(
    rows.map((row) => [
      row.id,
      { isActive: row.active === 1, told: row.roles === null ? [] : roles.decode(row.roles) },
    ]),
  )
}
