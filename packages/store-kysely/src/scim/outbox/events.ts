import { invalidOutboxCursor, type OutboxRow, type OutboxStore } from '@x/scim-core'
import { sql, type Kysely, type RawBuilder } from 'kysely'
import { engineOf } from '../../engine/engine.ts'
import { hotQuery } from '../../query/compiled-query.ts'
import { chunks } from '../../query/chunks.ts'
import type { ScimTables } from '../../schema/tables/scim.ts'
import { EVENT_COLUMNS, eventOf, fromEventRow, toEventRow, type EventColumns } from './event-row.ts'

type Db = Kysely<ScimTables>

/** The events of an outbox in SQL. */
export function createEventStore(db: Db): Pick<OutboxStore, 'append' | 'read' | 'set' | 'prune'> {
  return {
    async append(rows) {
      for (const row of rows) await insertEvent.run(db, toEventRow(row))
    },

    async read(tenant, { after = '0.0', types, limit = 100 } = {}) {
      const place = readCursor(after)
      let query = db
        .selectFrom('scim_event')
        .select([...EVENT_COLUMNS, 'xid', 'seq'])
        .where('tenant', '=', tenant)
        .where(behind(place))
        .where(isVisible(db))
      if (types !== undefined) {
        query = query.where('type', 'in', types.length === 0 ? [''] : [...types])
      }
      const rows = await query.orderBy('xid').orderBy('seq').limit(limit).execute()
      const last = rows.at(-1)
      const next = last === undefined ? after : `${last.xid}.${last.seq}`
      return { events: rows.map(eventOf), next }
    },

    set: (tenant, resourceId, setId) => readSet(db, { tenant, resourceId, setId }),

    async prune(before) {
      let count = 0
      for (let isMore = true; isMore;) {
        const rows = await prunable(db, before.getTime())
        for (const seqs of chunks(rows)) {
          await db.deleteFrom('scim_delivery').where('event_seq', 'in', seqs).execute()
          await db.deleteFrom('scim_event').where('seq', 'in', seqs).execute()
        }
        count += rows.length
        isMore = rows.length === PRUNED
      }
      return count
    },
  }
}

const PRUNED = 1_000

/** Settled before a time, and seen by every endpoint that is enabled. */
async function prunable(db: Db, before: number): Promise<number[]> {
  const { rows } = await sql<{ seq: number }>`select e.seq from scim_event as e
    where e.at < ${before}
    and not exists (select 1 from scim_delivery as d where d.event_seq = e.seq
      and (d.state = 'waiting' or d.last_at >= ${before}))
    and not exists (select 1 from scim_endpoint as p where p.tenant = e.tenant and p.enabled = 1
      and (p.seen_xid, p.seen_seq) < (e.xid, e.seq))
    order by e.at limit ${PRUNED}`.execute(db)
  return rows.map(({ seq }) => seq)
}

async function readSet(
  db: Db,
  key: { readonly tenant: string; readonly resourceId: string; readonly setId: string },
): Promise<OutboxRow[]> {
  const rows = await db
    .selectFrom('scim_event')
    .select(EVENT_COLUMNS)
    .where('tenant', '=', key.tenant)
    .where('resource_id', '=', key.resourceId)
    .where('set_id', '=', key.setId)
    .orderBy('seq')
    .execute()
  return rows.map(fromEventRow)
}

/** A place in the order of the commits. */
export interface EventPlace {
  readonly xid: number
  readonly seq: number
}

function readCursor(text: string): EventPlace {
  const parts = /^(\d{1,15})\.(\d{1,15})$/.exec(text)
  if (parts === null) throw invalidOutboxCursor()
  return { xid: Number(parts[1]), seq: Number(parts[2]) }
}

export function behind({ xid, seq }: EventPlace): RawBuilder<boolean> {
  return sql<boolean>`(xid, seq) > (${xid}, ${seq})`
}

/**
 * Events whose predecessors are all known: on PostgreSQL a transaction that is open may still commit one
 * with a lower number (SH-21). SQLite has one writer at a time.
 */
export function isVisible(db: Db): RawBuilder<boolean> {
  return engineOf(db).kind === 'sqlite'
    ? sql<boolean>`1 = 1`
    : sql<boolean>`xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`
}

/**
 * The order is that of the transactions, on PostgreSQL of their numbers. One that began earlier may change
 * a resource later, so an event never gets a lower number than the one before it of its resource.
 */
const insertEvent = hotQuery<ScimTables, EventColumns, never>((db, value) => {
  const columns = sql.join(EVENT_COLUMNS.map((column) => sql.ref(column)))
  const values = sql.join(EVENT_COLUMNS.map((column) => sql`${value(column)}`))
  const xid =
    engineOf(db).kind === 'sqlite'
      ? sql`0`
      : sql`greatest(pg_current_xact_id()::text::bigint, (select e.xid from scim_event as e
          where e.tenant = ${value('tenant')} and e.resource_id = ${value('resource_id')}
          order by e.seq desc limit 1))`
  const query = sql<never>`insert into scim_event (${columns}, xid) values (${values}, ${xid})`
  return { compile: () => query.compile(db) }
})
