import type { ScimAuditEntry } from '../options/events.ts'
import type { Subject } from '../rules/audit.ts'
import type { Route } from './route.ts'

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

/**
 * The subject of a request, determined from method and path alone; `other` if they match nothing.
 */
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

function opOf(
  ops: Readonly<Record<string, ScimAuditEntry['op']>>,
  method: string,
): ScimAuditEntry['op'] {
  return Object.hasOwn(ops, method) ? (ops[method] ?? 'other') : 'other'
}
