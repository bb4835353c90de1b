import type { EndpointPatch, EndpointRecord, EndpointStore } from '@x/scim-core'
import { sql, type Kysely } from 'kysely'
import { engineOf } from '../../engine/engine.ts'
import { atomic } from '../../engine/transaction.ts'
import { bool, date, json, mapping, nullable, plain, text } from '../../records/columns.ts'
import type { ScimEndpointRow, ScimTables } from '../../schema/tables/scim.ts'
import { lastAcknowledged } from './event-order.ts'

type Db = Kysely<ScimTables>

export const endpoints = mapping<EndpointRecord, Omit<ScimEndpointRow, 'seen_xid' | 'seen_seq'>>({
  id: plain(),
  tenant: plain(),
  kind: plain(),
  url: nullable(text),
  audience: nullable(text),
  events: nullable(json()),
  description: nullable(text),
  secrets: plain(),
  enabled: bool,
  disabledReason: nullable(text),
  created: date,
})

/** The endpoints of all tenants in SQL. */
export function createEndpointStore(db: Db): EndpointStore {
  return {
    insert: (record, limit) =>
      atomic(db, async (tx) => {
        await lockTenant(tx, record.tenant)
        const kinds =
          record.kind === 'webhook' ? ['webhook' as const] : ['push' as const, 'poll' as const]
        const { total } = await tx
          .selectFrom('scim_endpoint')
          .select((expression) => expression.fn.countAll<number>().as('total'))
          .where('tenant', '=', record.tenant)
          .where('kind', 'in', kinds)
          .executeTakeFirstOrThrow()
        if (total >= limit) return false
        const seen = await presentPlace(tx, record.tenant)
        const row = { ...endpoints.toRow(record), seen_xid: 0, seen_seq: seen }
        await tx.insertInto('scim_endpoint').values(row).execute()
        return true
      }),

    async get(tenant, id) {
      const row = await findEndpoint(db, id)
      return row?.tenant === tenant ? endpoints.fromRow(row) : null
    },

    async byId(id) {
      const row = await findEndpoint(db, id)
      return row === undefined ? null : endpoints.fromRow(row)
    },

    async list(tenant, kinds) {
      const rows = await db
        .selectFrom('scim_endpoint')
        .selectAll()
        .where('tenant', '=', tenant)
        .where('kind', 'in', [...kinds])
        .orderBy('created')
        .orderBy('id')
        .execute()
      return rows.map((row) => endpoints.fromRow(row))
    },

    update: (tenant, id, patch) => atomic(db, (tx) => updateEndpoint(tx, { tenant, id, patch })),

    remove: (tenant, id) =>
      atomic(db, async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('scim_endpoint')
          .where('tenant', '=', tenant)
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) return false
        await tx.deleteFrom('scim_delivery').where('endpoint_id', '=', id).execute()
        return true
      }),
  }
}

async function findEndpoint(db: Db, id: string): Promise<ScimEndpointRow | undefined> {
  return db.selectFrom('scim_endpoint').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Reads and locks an endpoint until the transaction ends, so that work on its deliveries is serialised. */
export async function lockEndpoint(tx: Db, id: string): Promise<ScimEndpointRow | undefined> {
  const query = tx.selectFrom('scim_endpoint').selectAll().where('id', '=', id)
  const locks = engineOf(tx).kind === 'postgres'
  return (locks ? query.forUpdate() : query).executeTakeFirst()
}

async function updateEndpoint(
  tx: Db,
  {
    tenant,
    id,
    patch,
  }: { readonly tenant: string; readonly id: string; readonly patch: EndpointPatch },
): Promise<boolean> {
  const before = await lockEndpoint(tx, id)
  if (before?.tenant !== tenant) return false
  const isAgain = patch.enabled === true && before.enabled === 0
  const place = isAgain ? await presentPlace(tx, tenant) : null
  const changes = {
    ...endpoints.toPatch(patch),
    ...(place !== null && { seen_xid: 0, seen_seq: place }),
  }
  if (Object.keys(changes).length > 0) {
    await tx.updateTable('scim_endpoint').set(changes).where('id', '=', id).execute()
  }
  if (patch.enabled === false) await failWaiting(tx, id, patch.disabledReason ?? 'disabled')
  return true
}

/** Fails the waiting deliveries of an endpoint. */
export async function failWaiting(tx: Db, endpointId: string, reason: string): Promise<void> {
  await tx
    .updateTable('scim_delivery')
    .set({ state: 'failed', locked_until: 0, last_error: reason })
    .where('endpoint_id', '=', endpointId)
    .where('state', '=', 'waiting')
    .execute()
}

/** A position after all committed events and before those of open transactions. */
async function presentPlace(tx: Db, tenant: string): Promise<number> {
  if (engineOf(tx).kind === 'postgres') return lastAcknowledged(tx)
  const { last } = await tx
    .selectFrom('scim_event')
    .select(({ fn }) => fn.max('seq').as('last'))
    .where('tenant', '=', tenant)
    .executeTakeFirstOrThrow()
  return last ?? 0
}

/** Concurrent insertions for a tenant are serialised, so that the limit holds. */
async function lockTenant(tx: Db, tenant: string): Promise<void> {
  if (engineOf(tx).kind === 'sqlite') return
  await sql`select pg_advisory_xact_lock(hashtext('scim_endpoint'), hashtext(${tenant}))`.execute(
    tx,
  )
}
