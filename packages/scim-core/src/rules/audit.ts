import type { ScimAuditEntry } from '../options/events.ts'
import type { ScimType } from '../base/errors.ts'
import type { Trace } from './call.ts'

/** The subject of an operation. */
export type Subject = Pick<ScimAuditEntry, 'op' | 'resourceType' | 'resourceId'>

/** Creates the audit entry of a finished operation. */
export function auditEntry(
  subject: Subject,
  trace: Trace,
  facts: {
    readonly at: Date
    readonly durationMs: number
    readonly requestId: string
    readonly tenant: string | null
    readonly actor: string | null
    readonly status: number
    readonly scimType: ScimType | undefined
    readonly withUserName: boolean
    readonly aborted: boolean
    readonly connectionId: string | undefined
  },
): ScimAuditEntry {
  const { at, durationMs, requestId, tenant, actor, status, scimType, withUserName } = facts
  return {
    at: at.toISOString(),
    requestId,
    tenant,
    actor,
    op: subject.op,
    resourceType: subject.resourceType,
    resourceId: trace.resourceId ?? subject.resourceId,
    status,
    ...(scimType !== undefined && { scimType }),
    changed: trace.changed,
    ...(trace.members !== null && { members: trace.members }),
    events: [...trace.events],
    durationMs,
    ...(facts.connectionId !== undefined && { connectionId: facts.connectionId }),
    ...(facts.aborted && { aborted: true }),
    ...(withUserName && trace.userName !== null && { userName: trace.userName }),
  }
}
