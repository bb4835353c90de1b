import { sql, type Kysely } from 'kysely'
import { locksRows } from '../../engine/transaction.ts'
import { preparedQuery } from '../../query/prepared-query.ts'
import { idTable } from '../../query/id-list.ts'
import type { ScimDeliveryRow, ScimTables } from '../../schema/tables/scim.ts'
import { BLOCKED } from './collect.ts'
import { EVENT_COLUMNS, type EventColumns } from './event-row.ts'

type Db = Kysely<ScimTables>

interface DueValues {
  readonly endpointId: string
  readonly now: number
  readonly limit: number
}

type DueRow = EventColumns & Pick<ScimDeliveryRow, 'attempts' | 'event_seq'>

/** Claims unclaimed deliveries; other processes then skip them. */
export const readDue = preparedQuery<ScimTables, DueValues, DueRow>((db, value) => {
  const query = db
    .selectFrom('scim_delivery as d')
    .innerJoin('scim_event as e', 'e.seq', 'd.event_seq')
    .select(EVENT_COLUMNS.map((column) => `e.${column}` as const))
    .select(['d.attempts', 'd.event_seq'])
    .where('d.endpoint_id', '=', value('endpointId'))
    .where('d.state', '=', 'waiting')
    .where('d.next_at', '<=', value('now'))
    .where('d.locked_until', '<=', value('now'))
    .orderBy('d.next_at')
    .orderBy('d.event_seq')
    .limit(value('limit'))
  return locksRows(db) ? query.forUpdate('d').skipLocked() : query
})

/** Reserves deliveries until a time. */
export const leaseSome = preparedQuery<
  ScimTables,
  { readonly endpointId: string; readonly seqs: unknown; readonly until: number },
  never
>((db, value) =>
  db
    .updateTable('scim_delivery')
    .set({ locked_until: value('until') })
    .where('endpoint_id', '=', value('endpointId'))
    .where('event_seq', 'in', numbers(db, value('seqs'))),
)

interface SettledValues {
  readonly endpointId: string
  readonly eventId: string
  /** The lease it must still have; null: any. */
  readonly lockedUntil: number | null
  readonly state: ScimDeliveryRow['state']
  readonly attempts: number
  readonly nextAt: number
  readonly lastAt: number
  readonly lastStatus: number | null
  readonly lastError: string | null
}

/** Writes the result of a delivery if it is still waiting with the given lease. */
export const settleOne = preparedQuery<ScimTables, SettledValues, never>((db, value) =>
  db
    .updateTable('scim_delivery')
    .set({
      state: value('state'),
      attempts: value('attempts'),
      next_at: value('nextAt'),
      locked_until: 0,
      last_at: value('lastAt'),
      last_status: value('lastStatus'),
      last_error: value('lastError'),
    })
    .where('endpoint_id', '=', value('endpointId'))
    .where('event_seq', '=', (events) =>
      events.selectFrom('scim_event').select('seq').where('id', '=', value('eventId')),
    )
    .where('state', '=', 'waiting')
    .where(
      sql<boolean>`locked_until = coalesce(cast(${value('lockedUntil')} as bigint), locked_until)`,
    ),
)

/** The next delivery of a resource is due once its earlier ones are settled. */
export const unblockLater = preparedQuery<
  ScimTables,
  { readonly endpointId: string; readonly events: unknown; readonly now: number },
  never
>((db, value) => {
  const query = sql<never>`update scim_delivery set next_at = ${value('now')}
    where endpoint_id = ${value('endpointId')} and state = 'waiting' and next_at = ${BLOCKED}
    and resource_id in (select e.resource_id from scim_event as e
      where e.id in (select ids.id from ${idTable(db, value('events'))}))
    and not exists (select 1 from scim_delivery as b
      where b.endpoint_id = scim_delivery.endpoint_id
      and b.resource_id = scim_delivery.resource_id and b.state = 'waiting'
      and b.event_seq < scim_delivery.event_seq)`
  return { compile: () => query.compile(db) }
})

function numbers(db: Db, ids: unknown) {
  return sql<number>`(select cast(ids.id as bigint) from ${idTable(db, ids)})`
}
