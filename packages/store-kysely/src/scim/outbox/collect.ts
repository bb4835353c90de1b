import type { DeliveryStore } from '@x/scim-core'
import { sql, type Kysely } from 'kysely'
import { atomic } from '../../engine/transaction.ts'
import { chunks } from '../../query/chunks.ts'
import type { ScimEndpointRow, ScimTables } from '../../schema/tables/scim.ts'
import { failWaiting, lockEndpoint } from './endpoints.ts'
import { lastAcknowledged } from './event-order.ts'

type Db = Kysely<ScimTables>

type CollectOptions = Parameters<DeliveryStore['collect']>[1]

/** The `next_at` of a delivery that waits for an earlier one of its resource. */
export const BLOCKED = Number.MAX_SAFE_INTEGER

/** Endpoints processed per round. */
const ENDPOINTS = 100

/** Creates deliveries of the events each endpoint has not seen yet. */
export async function collectDeliveries(
  db: Db,
  kinds: readonly ScimEndpointRow['kind'][],
  options: CollectOptions,
): Promise<number> {
  const settled = await lastAcknowledged(db)
  let made = 0
  for (const id of await endpointsWithPendingEvents(db, settled, {
    kinds,
    endpointId: options.endpointId,
  })) {
    made += await atomic(db, (tx) => collectFor(tx, id, { ...options, settled }))
  }
  return made
}

async function endpointsWithPendingEvents(
  db: Db,
  settled: number,
  {
    kinds,
    endpointId,
  }: {
    readonly kinds: readonly ScimEndpointRow['kind'][]
    readonly endpointId: string | undefined
  },
): Promise<string[]> {
  const only = endpointId === undefined ? sql`1 = 1` : sql`p.id = ${endpointId}`
  const { rows } = await sql<{ id: string }>`select p.id from scim_endpoint as p
    where p.enabled = 1 and p.kind in (${sql.join([...kinds])}) and ${only}
    and exists (select 1 from scim_event where tenant = p.tenant
      and seq > p.seen_seq and seq <= ${settled})
    order by p.seen_seq limit ${ENDPOINTS}`.execute(db)
  return rows.map(({ id }) => id)
}

async function collectFor(
  tx: Db,
  id: string,
  options: CollectOptions & { readonly settled: number },
): Promise<number> {
  const endpoint = await lockEndpoint(tx, id)
  if (endpoint === undefined || endpoint.enabled === 0) return 0
  const news = await tx
    .selectFrom('scim_event')
    .select(['seq', 'type', 'id', 'set_id', 'resource_id'])
    .where('tenant', '=', endpoint.tenant)
    .where('seq', '>', endpoint.seen_seq)
    .where('seq', '<=', options.settled)
    .orderBy('seq')
    .limit(options.limit)
    .execute()
  const last = news.at(-1)
  if (last === undefined) return 0
  await makeDeliveries(
    tx,
    endpoint,
    news.filter((event) => isWanted(endpoint, event)),
    options.now,
  )
  const place = { seen_xid: 0, seen_seq: last.seq }
  await tx.updateTable('scim_endpoint').set(place).where('id', '=', id).execute()
  if ((await countWaiting(tx, id, options.maxWaiting + 1)) > options.maxWaiting) {
    const reason = 'too many waiting'
    const patch = { enabled: 0, disabled_reason: reason }
    await tx.updateTable('scim_endpoint').set(patch).where('id', '=', id).execute()
    await failWaiting(tx, id, reason)
  }
  return news.length
}

/** The parts of an event needed for deliveries. */
export interface EventHead {
  readonly seq: number
  readonly type: string
  readonly id: string
  readonly set_id: string
  readonly resource_id: string
}

/** Streams get one delivery per set; the events are selected when the token is created. */
export function isWanted(
  { kind, events }: Pick<ScimEndpointRow, 'kind' | 'events'>,
  { type, id, set_id }: Pick<EventHead, 'type' | 'id' | 'set_id'>,
): boolean {
  if (kind !== 'webhook') return id === set_id
  // The list was written by `endpoints`.
  return events === null || (JSON.parse(events) as readonly string[]).includes(type)
}

/**
 * Creates deliveries; all but the first of a resource wait for the earlier ones. The endpoint must be
 * locked.
 */
export async function makeDeliveries(
  tx: Db,
  { id }: Pick<ScimEndpointRow, 'id'>,
  events: readonly EventHead[],
  now: Date,
): Promise<void> {
  for (const part of chunks(events)) {
    const rows = part.map(({ seq, resource_id }) => ({
      endpoint_id: id,
      event_seq: seq,
      resource_id,
      state: 'waiting' as const,
      attempts: 0,
      next_at: now.getTime(),
      locked_until: 0,
      last_at: null,
      last_status: null,
      last_error: null,
    }))
    await tx
      .insertInto('scim_delivery')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  const first = events.reduce((least, { seq }) => Math.min(least, seq), Infinity)
  if (first !== Infinity) await blockLater(tx, id, first)
}

/** Makes deliveries from an event on wait for an earlier one of their resource. */
async function blockLater(tx: Db, endpointId: string, from: number): Promise<void> {
  await sql`update scim_delivery set next_at = ${BLOCKED}
    where endpoint_id = ${endpointId} and state = 'waiting' and locked_until = 0
    and next_at <> ${BLOCKED} and event_seq >= ${from}
    and exists (select 1 from scim_delivery as b where b.endpoint_id = scim_delivery.endpoint_id
      and b.resource_id = scim_delivery.resource_id and b.state = 'waiting'
      and b.event_seq < scim_delivery.event_seq)`.execute(tx)
}

async function countWaiting(tx: Db, endpointId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from (
    select 1 from scim_delivery where endpoint_id = ${endpointId} and state = 'waiting'
    limit ${limit}) as few`.execute(tx)
  return rows[0]?.total ?? 0
}
