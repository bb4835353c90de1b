import type { ScimAuditEntry } from '../options/events.ts'
import type { ScimType } from '../base/errors.ts'
import { instantText } from '../resource/instant-text.ts'
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
  const { scimType, connectionId } = facts
  const { members, userName } = trace
  const entry: { -readonly [Key in keyof ScimAuditEntry]: ScimAuditEntry[Key] } = {
    at: instantText(facts.at),
    requestId: facts.requestId,
    tenant: facts.tenant,
    actor: facts.actor,
    op: subject.op,
    resourceType: subject.resourceType,
    resourceId: trace.resourceId ?? subject.resourceId,
    status: facts.status,
    changed: trace.changed,
    events: [...trace.events],
    durationMs: facts.durationMs,
  }
  // Spreading what most entries lack would cost more than the rest of the entry.
  if (scimType !== undefined) entry.scimType = scimType
  if (members !== null) entry.members = members
  if (connectionId !== undefined) entry.connectionId = connectionId
  if (facts.aborted) entry.aborted = true
  if (facts.withUserName && userName !== null) entry.userName = userName
  return entry
}
