import {
  readDeliveryCursor,
  type ClaimedDelivery,
  type Delivery,
  type DeliveryQuery,
  type DeliveryResult,
  type DeliveryStore,
  type ReplayQuery,
} from '@x/scim-core'
import { sql, type Kysely } from 'kysely'
import { atomic, locksRows } from '../../engine/transaction.ts'
import { chunks } from '../../query/chunks.ts'
import { idParameter } from '../../query/id-list.ts'
import type { ScimTables } from '../../schema/tables/scim.ts'
import { BLOCKED, collectDeliveries, isWanted, makeDeliveries } from './collect.ts'
import { leaseSome, readDue, settleOne, unblockLater } from './delivery-queries.ts'
import { endpoints, lockEndpoint } from './endpoints.ts'
import { EVENT_COLUMNS, fromEventRow } from './event-row.ts'

type Db = Kysely<ScimTables>

/** The deliveries of all tenants in SQL. */
export function createDeliveryStore(db: Db): DeliveryStore {
  return {
    collect: (kinds, options) => collectDeliveries(db, kinds, options),

    async due(kinds, now) {
      const { rows } = await sql<{ id: string }>`select p.id from scim_endpoint as p
        where p.enabled = 1 and p.kind in (${sql.join([...kinds])})
        and exists (select 1 from scim_delivery as d where d.endpoint_id = p.id
          and d.state = 'waiting' and d.next_at <= ${now.getTime()}
          and d.locked_until <= ${now.getTime()})`.execute(db)
      if (rows.length === 0) return []
      const ids = rows.map(({ id }) => id)
      const found = await db
        .selectFrom('scim_endpoint')
        .selectAll()
        .where('id', 'in', ids)
        .execute()
      return found.map((row) => endpoints.fromRow(row))
    },

    claim: (endpointId, options) => atomic(db, (tx) => claim(tx, endpointId, options)),

    settle: (endpointId, results, options) =>
      results.length === 0
        ? Promise.resolve(0)
        : atomic(db, (tx) => settle(tx, endpointId, { results, ...options })),

    async release(endpointId, eventIds, lease) {
      for (const ids of chunks(eventIds)) {
        await db
          .updateTable('scim_delivery')
          .set({ locked_until: 0 })
          .where('endpoint_id', '=', endpointId)
          .where('locked_until', '=', lease.getTime())
          .where('event_seq', 'in', (events) =>
            events.selectFrom('scim_event').select('seq').where('id', 'in', ids),
          )
          .execute()
      }
    },

    async waiting(endpointId, limit) {
      const rows = await db
        .selectFrom('scim_delivery as d')
        .innerJoin('scim_event as e', 'e.seq', 'd.event_seq')
        .select(EVENT_COLUMNS.map((column) => `e.${column}` as const))
        .where('d.endpoint_id', '=', endpointId)
        .where('d.state', '=', 'waiting')
        .orderBy('d.event_seq')
        .limit(limit)
        .execute()
      return rows.map(fromEventRow)
    },

    list: (tenant, query) => listDeliveries(db, tenant, query),

    replay: (tenant, query, options) =>
      atomic(db, (tx) => replay(tx, tenant, { query, ...options })),
  }
}

async function claim(
  tx: Db,
  endpointId: string,
  { now, until, limit }: { readonly now: Date; readonly until: Date; readonly limit: number },
): Promise<ClaimedDelivery[]> {
  const { rows } = await readDue.run(tx, { endpointId, now: now.getTime(), limit })
  if (rows.length === 0) return []
  const seqs = idParameter(
    tx,
    rows.map(({ event_seq }) => String(event_seq)),
  )
  await leaseSome.run(tx, { endpointId, seqs, until: until.getTime() })
  return rows.map((row) => ({ event: fromEventRow(row), attempts: row.attempts }))
}

async function settle(
  tx: Db,
  endpointId: string,
  {
    results,
    now,
    lease: until,
  }: {
    readonly results: readonly DeliveryResult[]
    readonly now: Date
    readonly lease?: Date
  },
): Promise<number> {
  if (locksRows(tx)) await lockEndpoint(tx, endpointId)
  const lockedUntil = until?.getTime() ?? null
  const done: string[] = []
  let written = 0
  for (const { eventId, state, attempts, nextAt, lastStatus, lastError } of results) {
    const { changed } = await settleOne.run(tx, {
      endpointId,
      eventId,
      lockedUntil,
      state,
      attempts,
      nextAt: nextAt?.getTime() ?? 0,
      lastAt: now.getTime(),
      lastStatus,
      lastError,
    })
    if (changed === 0) continue
    written += 1
    if (state !== 'waiting') done.push(eventId)
  }
  const events = idParameter(tx, done)
  if (done.length > 0) await unblockLater.run(tx, { endpointId, events, now: now.getTime() })
  return written
}

async function listDeliveries(
  db: Db,
  tenant: string,
  { endpointId, state, limit = 100, after }: DeliveryQuery,
): Promise<{ deliveries: Delivery[]; next: string | null }> {
  const place = after === undefined ? null : readDeliveryCursor(after)
  let query = db
    .selectFrom('scim_delivery as d')
    .innerJoin('scim_endpoint as p', 'p.id', 'd.endpoint_id')
    .innerJoin('scim_event as e', 'e.seq', 'd.event_seq')
    .selectAll('d')
    .select(['e.id as event_id', 'e.type'])
    .where('p.tenant', '=', tenant)
  if (place !== null) {
    const { seq, endpointId: last } = place
    query = query.where(sql<boolean>`(d.event_seq, d.endpoint_id) > (${seq}, ${last})`)
  }
  if (endpointId !== undefined) query = query.where('d.endpoint_id', '=', endpointId)
  if (state !== undefined) query = query.where('d.state', '=', state)
  const rows = await query
    .orderBy('d.event_seq')
    .orderBy('d.endpoint_id')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const end = page.at(-1)
  const next = rows.length > limit && end ? `${end.event_seq}.${end.endpoint_id}` : null
  return {
    deliveries: page.map((row) => ({
      endpointId: row.endpoint_id,
      eventId: row.event_id,
      type: row.type,
      state: row.state,
      attempts: row.attempts,
      nextAt: row.state === 'waiting' && row.next_at !== BLOCKED ? new Date(row.next_at) : null,
      lastAt: row.last_at === null ? null : new Date(row.last_at),
      lastStatus: row.last_status,
      lastError: row.last_error,
    })),
    next,
  }
}

async function replay(
  tx: Db,
  tenant: string,
  {
    query,
    now,
    limit,
  }: { readonly query: ReplayQuery; readonly now: Date; readonly limit: number },
): Promise<number | null> {
  const endpoint = await lockEndpoint(tx, query.endpointId)
  if (endpoint?.tenant !== tenant) return 0
  const { endpointId: id, failed, eventIds, from, to } = query
  let events = tx
    .selectFrom('scim_event as e')
    .leftJoin('scim_delivery as d', (join) =>
      join.onRef('d.event_seq', '=', 'e.seq').on('d.endpoint_id', '=', id),
    )
    .select(['e.seq', 'e.type', 'e.id', 'e.set_id', 'e.resource_id'])
    .where('e.tenant', '=', tenant)
    .where((where) => where.or([where('d.state', 'is', null), where('d.state', '<>', 'waiting')]))
  if (failed === true) events = events.where('d.state', '=', 'failed')
  if (from !== undefined) events = events.where('e.at', '>=', from.getTime())
  if (to !== undefined) events = events.where('e.at', '<=', to.getTime())
  if (eventIds !== undefined) {
    events = events.where('e.id', 'in', eventIds.length === 0 ? [''] : eventIds.slice(0, limit + 1))
  }
  const found = await events.orderBy('e.seq').execute()
  const chosen = found.filter((event) => isWanted(endpoint, event))
  if (chosen.length > limit) return null
  for (const part of chunks(chosen)) {
    const seqs = part.map(({ seq }) => seq)
    await tx
      .deleteFrom('scim_delivery')
      .where('endpoint_id', '=', id)
      .where('event_seq', 'in', seqs)
      .execute()
  }
  await makeDeliveries(tx, endpoint, chosen, now)
  return chosen.length
}
