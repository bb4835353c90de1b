import { z } from 'zod'
import type { AuditRecord } from '../store/audit.ts'
import { int, maybe, text, uuid } from './scalars.ts'

const MAX_PAGE = 1000

/** Selects audit records; `before` is `next` of the previous page. */
export const AuditListQuery = z.object({
  limit: int({ ge: 1, le: MAX_PAGE }).default(100),
  before: maybe(uuid()),
  action: maybe(text()),
  actor_id: maybe(text()),
  target_id: maybe(text()),
})

const AuditRead = z.object({
  id: z.string(),
  at: z.string(),
  action: z.string(),
  outcome: z.enum(['ok', 'refused']),
  actor_id: z.string().nullable(),
  via: z.string().nullable(),
  target_type: z.string().nullable(),
  target_id: z.string().nullable(),
  request_id: z.string().nullable(),
  client_address: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
})

/** A page of audit records, newest first; `next` is null on the last page. */
export const AuditList = z.object({ records: AuditRead.array(), next: z.string().nullable() })

/** The wire form of a record, which is also the log format. */
export function auditRecordToWire(record: AuditRecord): z.infer<typeof AuditRead> {
  return {
    id: record.id,
    at: record.at.toISOString(),
    action: record.action,
    outcome: record.outcome,
    actor_id: record.actorId,
    via: record.via,
    target_type: record.targetType,
    target_id: record.targetId,
    request_id: record.requestId,
    client_address: record.clientAddress,
    details: record.details,
  }
}

export function auditToWire(
  records: readonly AuditRecord[],
  limit: number,
): z.infer<typeof AuditList> {
  const next = records.length < limit ? null : (records.at(-1)?.id ?? null)
  return { records: records.map(auditRecordToWire), next }
}
