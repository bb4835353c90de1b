import type { ScimAuditEntry } from '../events.ts'
import type { ScimType } from '../errors.ts'
import type { Route } from '../http/route.ts'
import type { Trace } from './call.ts'

/** What a request is about, known from its method and path alone (SC-71). */
export type Subject = Pick<ScimAuditEntry, 'op' | 'resourceType' | 'resourceId'>

const RESOURCE_OPS: Readonly<Record<string, ScimAuditEntry['op']>> = {
  GET: 'read',
  HEAD: 'read',
  PUT: 'replace',
  PATCH: 'patch',
  DELETE: 'delete',
}
const COLLECTION_OPS: Readonly<Record<string, ScimAuditEntry['op']>> = {
  GET: 'list',
  HEAD: 'list',
  POST: 'create',
}

/** The subject of a request; `other` when the path or method means nothing. */
export function subjectOf(route: Route | undefined, method: string): Subject {
  switch (route?.kind) {
    case 'collection':
      return { op: opOf(COLLECTION_OPS, method), resourceType: route.type, resourceId: null }
    case 'resource':
      return { op: opOf(RESOURCE_OPS, method), resourceType: route.type, resourceId: route.id }
    case 'search':
      return { op: 'search', resourceType: route.type, resourceId: null }
    case 'root':
    case 'rootSearch':
      return { op: 'search', resourceType: null, resourceId: null }
    case 'me':
      return { op: opOf(RESOURCE_OPS, method), resourceType: 'User', resourceId: null }
    case 'bulk':
      return { op: 'bulk', resourceType: null, resourceId: null }
    case 'config':
    case 'resourceTypes':
    case 'schemas':
      return { op: 'discover', resourceType: null, resourceId: null }
    case undefined:
      return { op: 'other', resourceType: null, resourceId: null }
  }
}

/** The entry of a finished operation. */
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
    ...(facts.aborted && { aborted: true }),
    ...(withUserName && trace.userName !== null && { userName: trace.userName }),
  }
}

function opOf(
  ops: Readonly<Record<string, ScimAuditEntry['op']>>,
  method: string,
): ScimAuditEntry['op'] {
  return Object.hasOwn(ops, method) ? (ops[method] ?? 'other') : 'other'
}
