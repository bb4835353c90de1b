import type { ScimAuditEntry } from '../options/events.ts'
import type { ScimType } from '../base/errors.ts'
import { instantText } from '../resource/instant-text.ts'
import type { Trace } from './call.ts'

/** The subject of an operation. */
export type Subject = Pick<ScimAuditEntry, 'op' | 'resourceType' | 'resourceId'>

type Draft = { -readonly [Key in keyof ScimAuditEntry]: ScimAuditEntry[Key] }

/** Maximum paths in each list of an entry. */
const MAX_PATHS = 20

function addNotes(entry: Draft, { ignored, adjusted, adopted }: Trace): void {
  if (ignored.size > 0) entry.ignored = [...ignored.keys()].slice(0, MAX_PATHS)
  if (ignored.size > MAX_PATHS) entry.ignoredCount = ignored.size
  if (adopted !== undefined) entry.adopted = adopted
  if (adjusted.size > 0) entry.adjusted = [...adjusted].slice(0, MAX_PATHS)
}

function addConflict(entry: Draft, { conflict }: Trace): void {
  if (conflict !== undefined) entry.conflict = conflict
  else if (entry.resourceType === 'User') entry.conflict = 'userName'
  else if (entry.resourceType === 'Group') entry.conflict = 'groupName'
}

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
  const entry: Draft = {
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
  if (facts.status < 400) addNotes(entry, trace)
  else if (scimType === 'uniqueness') addConflict(entry, trace)
  if (facts.withUserName && userName !== null) entry.userName = userName
  return entry
}
