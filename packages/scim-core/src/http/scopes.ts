import type { ScimPrincipal, ScimScope } from '../base/principal.ts'
import type { ResourceTypeName } from '../schema/registry.ts'
import { insufficientScope } from './challenge.ts'
import type { Route } from './route.ts'

/** The scopes a request needs (SC-70). */
export function scopesOf(route: Route, method: string): readonly ScimScope[] {
  const reads = method === 'GET' || method === 'HEAD'
  switch (route.kind) {
    case 'collection':
    case 'resource':
      return [scopeOf(route.type, reads)]
    case 'search':
      return [scopeOf(route.type, true)]
    case 'me':
      return [scopeOf('User', reads)]
    case 'root':
    case 'rootSearch':
      return ['users:read', 'groups:read']
    default:
      return []
  }
}

/** @throws ScimError forbidden */
export function assertScopes(principal: ScimPrincipal | null, scopes: readonly ScimScope[]): void {
  const missing = scopes.find((scope) => principal?.scopes.includes(scope) !== true)
  if (missing !== undefined) throw insufficientScope(missing)
}

/** The scope for reading or writing resources of a type. */
export function scopeOf(type: ResourceTypeName, reads: boolean): ScimScope {
  if (type === 'User') return reads ? 'users:read' : 'users:write'
  return reads ? 'groups:read' : 'groups:write'
}
