import type { OutboxEvent, OutboxRow } from '@x/scim-core'
import { decodeText, encodeText } from '../../records/columns.ts'
import type { ScimEventRow } from '../../schema/tables/scim.ts'

/** The columns a row of the outbox is made of. */
export const EVENT_COLUMNS = [
  'id',
  'tenant',
  'type',
  'resource_type',
  'resource_id',
  'at',
  'request_id',
  'actor',
  'set_id',
  'op',
  'data',
] as const

export type EventColumns = Pick<ScimEventRow, (typeof EVENT_COLUMNS)[number]>

export function toEventRow(row: OutboxRow): EventColumns {
  return {
    id: row.id,
    tenant: row.tenant,
    type: row.type,
    resource_type: row.resourceType,
    resource_id: row.resourceId,
    at: Date.parse(row.at),
    request_id: row.requestId,
    actor: row.actor === null ? null : encodeText(row.actor),
    set_id: row.setId,
    op: row.op,
    data: row.data,
  }
}

export function fromEventRow(row: EventColumns): OutboxRow {
  return {
    id: row.id,
    tenant: row.tenant,
    type: row.type,
    resourceType: row.resource_type,
    resourceId: row.resource_id,
    at: new Date(row.at).toISOString(),
    requestId: row.request_id,
    actor: row.actor === null ? null : decodeText(row.actor),
    setId: row.set_id,
    op: row.op,
    data: row.data,
  }
}

/** The text was written by the core, so it is an object. */
export function eventOf(row: EventColumns): OutboxEvent {
  const { setId: _setId, op: _op, data, ...event } = fromEventRow(row)
  return { ...event, data: JSON.parse(data) as OutboxEvent['data'] }
}
