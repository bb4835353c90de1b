import type { ScimConfig } from '../options/options.ts'
import type { Route } from './route.ts'

const ENDPOINTS = { User: '/Users', Group: '/Groups' } as const

const FIXED = {
  root: '/',
  rootSearch: '/.search',
  me: '/Me',
  bulk: '/Bulk',
  config: '/ServiceProviderConfig',
} as const

/** The pattern of a path, without ids, such as `/api/v1/scim/v2/Users/{id}`. */
export function routePattern(route: Route, { basePath, types }: ScimConfig): string {
  return `${basePath}${below(route, types)}`
}

function below(route: Route, types: ScimConfig['types']): string {
  switch (route.kind) {
    case 'collection':
      return endpointOf(route.type, types)
    case 'search':
      return `${endpointOf(route.type, types)}/.search`
    case 'resource':
      return `${endpointOf(route.type, types)}/{id}`
    case 'resourceTypes':
      return route.name === null ? '/ResourceTypes' : '/ResourceTypes/{name}'
    case 'schemas':
      return route.name === null ? '/Schemas' : '/Schemas/{name}'
    default:
      return FIXED[route.kind]
  }
}

function endpointOf(type: string, types: ScimConfig['types']): string {
  if (type === 'User' || type === 'Group') return ENDPOINTS[type]
  return types.get(type)?.type.endpoint ?? ''
}
