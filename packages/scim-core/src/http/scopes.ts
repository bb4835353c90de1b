import { ALL_SCOPES, type ScimPrincipal, type ScimScope } from '../base/principal.ts'
import type { ScimConfig } from '../options/options.ts'
import type { ResourceTypeName } from '../schema/registry.ts'
import { insufficientScope } from './challenge.ts'
import type { Route } from './route.ts'

/** The scopes required by a request. */
export function scopesOf(config: ScimConfig, route: Route, method: string): readonly ScimScope[] {
  const reads = method === 'GET' || method === 'HEAD'
  switch (route.kind) {
    case 'collection':
    case 'resource':
      return [scopeOf(config, route.type, reads)]
    case 'search':
      return [scopeOf(config, route.type, true)]
    case 'me':
      return [scopeOf(config, 'User', reads)]
    case 'root':
    case 'rootSearch':
      return [
        'users:read',
        'groups:read',
        ...[...config.types.values()].map(({ scopes }) => scopes.read),
      ]
    default:
      return []
  }
}

/** @throws ScimError forbidden */
export function assertScopes(principal: ScimPrincipal | null, scopes: readonly ScimScope[]): void {
  // The array of all scopes also grants those of a host's own types.
  if (principal?.scopes === ALL_SCOPES) return
  const missing = scopes.find((scope) => principal?.scopes.includes(scope) !== true)
  if (missing !== undefined) throw insufficientScope(missing)
}

/** The scope for reading or writing resources of a type. */
export function scopeOf({ types }: ScimConfig, type: ResourceTypeName, reads: boolean): ScimScope {
  const own = types.get(type)?.scopes
  if (own !== undefined) return reads ? own.read : own.write
  if (type === 'User') return reads ? 'users:read' : 'users:write'
  return reads ? 'groups:read' : 'groups:write'
}
