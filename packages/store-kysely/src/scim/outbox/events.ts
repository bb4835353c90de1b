import { invalidOutboxCursor, type OutboxRow, type OutboxStore } from '@x/scim-core'
import { sql, type Kysely } from 'kysely'
import { engineOf } from '../../engine/engine.ts'
import { preparedQuery, type PreparedQuery } from '../../query/prepared-query.ts'
import { chunks } from '../../query/chunks.ts'
import type { ScimTables } from '../../schema/tables/scim.ts'
import { lastAcknowledged, writerLock } from './event-order.ts'
import { EVENT_COLUMNS, eventOf, fromEventRow, toEventRow, type EventColumns } from './event-row.ts'

type Db = Kysely<ScimTables>

/** The events of an outbox in SQL. */
export function createEventStore(db: Db): Pick<OutboxStore, 'append' | 'read' | 'set' | 'prune'> {
  return {
    async append(rows) {
      const [first, second] = rows
      if (first === undefined) return
      if (second !== undefined && rows.length === 2 && engineOf(db).kind === 'sqlite') {
        await insertTwo.run(db, pairOf(toEventRow(first), toEventRow(second)))
        return
      }
      await insertFirst.run(db, toEventRow(first))
      for (const row of rows.slice(1)) await insertNext.run(db, toEventRow(row))
    },

    async read(tenant, { after = '0.0', types, limit = 100 } = {}) {
      const place = readCursor(after)
      let query = db
        .selectFrom('scim_event')
        .select([...EVENT_COLUMNS, 'seq'])
        .where('tenant', '=', tenant)
        .where('seq', '>', place)
        .where('seq', '<=', await lastAcknowledged(db))
      if (types !== undefined) {
        query = query.where('type', 'in', types.length === 0 ? [''] : [...types])
      }
      const rows = await query.orderBy('seq').limit(limit).execute()
      const last = rows.at(-1)
      return { events: rows.map(eventOf), next: last === undefined ? after : `0.${last.seq}` }
    },

    set: (tenant, resourceId, setId) => readSet(db, { tenant, resourceId, setId }),

    async prune(before) {
      let count = 0
      for (let after: number | undefined = 0; after !== undefined;) {
        const { expired, last } = await expiredPage(db, { after, before: before.getTime() })
        for (const seqs of chunks(expired)) {
          await db.deleteFrom('scim_delivery').where('event_seq', 'in', seqs).execute()
          await db.deleteFrom('scim_event').where('seq', 'in', seqs).execute()
        }
        count += expired.length
        after = last
      }
      return count
    },
  }
}

/** Events examined at once. */
const EXAMINED = 1_000

interface ExpiredPage {
  /** Settled before the time, and seen by every endpoint that is enabled. */
  readonly expired: number[]
  /** The end of the page; undefined if only younger events follow. */
  readonly last: number | undefined
}

/**
 * A page of events from the oldest. They are numbered roughly in the order of their times, which therefore need
 * no index: each would cost every request that writes an event.
 */
async function expiredPage(
  db: Db,
  { after, before }: { readonly after: number; readonly before: number },
): Promise<ExpiredPage> {
  const { rows } = await sql<{ seq: number; at: number; expired: number }>`select e.seq, e.at,
      case when e.at < ${before}
        and not exists (select 1 from scim_delivery as d where d.event_seq = e.seq
          and (d.state = 'waiting' or d.last_at >= ${before}))
        and not exists (select 1 from scim_endpoint as p where p.tenant = e.tenant
          and p.enabled = 1 and p.seen_seq < e.seq)
        then 1 else 0 end as expired
    from scim_event as e where e.seq > ${after} order by e.seq limit ${EXAMINED}`.execute(db)
  const isLast = rows.length < EXAMINED || rows.every(({ at }) => at >= before)
  return {
    expired: rows.filter(({ expired }) => expired === 1).map(({ seq }) => seq),
    last: isLast ? undefined : rows.at(-1)?.seq,
  }
}

/** The ids of a set begin with the same time, so that no request has to write an index of sets. */
async function readSet(
  db: Db,
  key: { readonly tenant: string; readonly resourceId: string; readonly setId: string },
): Promise<OutboxRow[]> {
  const time = key.setId.slice(0, TIME_LENGTH)
  const rows = await db
    .selectFrom('scim_event')
    .select(EVENT_COLUMNS)
    .where('id', '>=', time)
    .where('id', '<', `${time}.`)
    .where('set_id', '=', key.setId)
    .where('tenant', '=', key.tenant)
    .where('resource_id', '=', key.resourceId)
    .orderBy('seq')
    .execute()
  return rows.map(fromEventRow)
}

/** Characters of the time at the start of a UUID, which a hyphen follows; a full stop is the next character. */
const TIME_LENGTH = 13

/** The number of the event before the next one; older cursors also held that of a transaction. */
function readCursor(text: string): number {
  const parts = /^\d{1,15}\.(\d{1,15})$/.exec(text)
  if (parts === null) throw invalidOutboxCursor()
  return Number(parts[1])
}

/** The first event of a transaction is numbered after its lock. */
const insertFirst = insertion(true)
const insertNext = insertion(false)

type PairColumns = EventColumns & Record<`${keyof EventColumns}_2`, unknown>

/** Two events, as most requests write, in one statement; only for SQLite. */
const insertTwo = preparedQuery<ScimTables, PairColumns, never>((db, value) => {
  const columns = sql.join(EVENT_COLUMNS.map((column) => sql.ref(column)))
  const first = sql.join(EVENT_COLUMNS.map((column) => sql`${value(column)}`))
  const second = sql.join(EVENT_COLUMNS.map((column) => sql`${value(`${column}_2`)}`))
  const query = sql<never>`insert into scim_event (${columns}, xid)
    values (${first}, 0), (${second}, 0)`
  return { compile: () => query.compile(db) }
})

/** Written out, because spreading costs as much as the insertion. */
function pairOf(first: EventColumns, second: EventColumns): PairColumns {
  return {
    id: first.id,
    tenant: first.tenant,
    type: first.type,
    resource_type: first.resource_type,
    resource_id: first.resource_id,
    at: first.at,
    request_id: first.request_id,
    actor: first.actor,
    set_id: first.set_id,
    op: first.op,
    data: first.data,
    id_2: second.id,
    tenant_2: second.tenant,
    type_2: second.type,
    resource_type_2: second.resource_type,
    resource_id_2: second.resource_id,
    at_2: second.at,
    request_id_2: second.request_id,
    actor_2: second.actor,
    set_id_2: second.set_id,
    op_2: second.op,
    data_2: second.data,
  }
}

function insertion(isFirst: boolean): PreparedQuery<ScimTables, EventColumns, never> {
  return preparedQuery((db, value) => {
    const columns = sql.join(EVENT_COLUMNS.map((column) => sql.ref(column)))
    const values = sql.join(EVENT_COLUMNS.map((column) => sql`${value(column)}`))
    const isFenced = isFirst && engineOf(db).kind === 'postgres'
    const query = isFenced
      ? sql<never>`with writer as materialized (select ${writerLock}::text as locked)
          insert into scim_event (${columns}, xid) select ${values}, 0 from writer`
      : sql<never>`insert into scim_event (${columns}, xid) values (${values}, 0)`
    return { compile: () => query.compile(db) }
  })
}
