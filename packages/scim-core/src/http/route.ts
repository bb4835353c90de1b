import type { ServedType } from '../options/resource-type.ts'
import type { ResourceTypeName } from '../schema/registry.ts'
import { decodeOnce } from './location.ts'

/** A parsed path below the base. */
export type Route =
  | { readonly kind: 'collection' | 'search'; readonly type: ResourceTypeName }
  | { readonly kind: 'resource'; readonly type: ResourceTypeName; readonly id: string }
  | { readonly kind: 'root' | 'rootSearch' | 'me' | 'bulk' }
  | { readonly kind: 'config' }
  | { readonly kind: 'resourceTypes'; readonly name: string | null }
  | { readonly kind: 'schemas'; readonly name: string | null }

/** The methods of each route; HEAD is allowed with GET. */
export const METHODS: Readonly<Record<Route['kind'], readonly string[]>> = {
  collection: ['GET', 'HEAD', 'POST'],
  search: ['POST'],
  resource: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
  root: ['GET', 'HEAD'],
  rootSearch: ['POST'],
  config: ['GET', 'HEAD'],
  me: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
  bulk: ['POST'],
  resourceTypes: ['GET', 'HEAD'],
  schemas: ['GET', 'HEAD'],
}

const SINGLE: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['', { kind: 'root' }],
  ['users', { kind: 'collection', type: 'User' }],
  ['groups', { kind: 'collection', type: 'Group' }],
  ['.search', { kind: 'rootSearch' }],
  ['serviceproviderconfig', { kind: 'config' }],
  ['serviceproviderconfigs', { kind: 'config' }],
  ['resourcetypes', { kind: 'resourceTypes', name: null }],
  ['schemas', { kind: 'schemas', name: null }],
  ['me', { kind: 'me' }],
  ['bulk', { kind: 'bulk' }],
])

/** Finds the route of a path below the base; one trailing slash is ignored. */
export function findRoute(below: string, types: ServedTypes): Route | undefined {
  const path = below.endsWith('/') ? below.slice(0, -1) : below
  if (path === '/') return undefined
  const slash = path.indexOf('/', 1)
  const endpoint = path.slice(1, slash === -1 ? path.length : slash)
  const single =
    SINGLE.get(endpoint) ?? SINGLE.get(endpoint.toLowerCase()) ?? ownType(endpoint, types)
  if (single === undefined || slash === -1) return single
  const rest = path.slice(slash + 1)
  if (rest === '' || rest.includes('/')) return undefined
  switch (single.kind) {
    case 'collection':
      return rest.toLowerCase() === '.search'
        ? { kind: 'search', type: single.type }
        : { kind: 'resource', type: single.type, id: decodeOnce(rest) }
    case 'resourceTypes':
    case 'schemas':
      return { kind: single.kind, name: decodeOnce(rest) }
    default:
      return undefined
  }
}

type ServedTypes = ReadonlyMap<string, ServedType>

function ownType(endpoint: string, types: ServedTypes): Route | undefined {
  const name = `/${endpoint.toLowerCase()}`
  for (const { type } of types.values()) {
    if (type.endpoint.toLowerCase() === name) return { kind: 'collection', type: type.name }
  }
  return undefined
}

/** The operation each method requires, on a route of the host's own type. */
const OPERATIONS = {
  collection: { GET: 'list', HEAD: 'list', POST: 'create' },
  search: { POST: 'list' },
  resource: { GET: 'get', HEAD: 'get', PUT: 'replace', PATCH: 'patch', DELETE: 'delete' },
} as const

/** The methods of a route; for a host's own type, those it offers. */
export function methodsOf(route: Route, types: ServedTypes): readonly string[] {
  const { kind } = route
  if (kind !== 'collection' && kind !== 'search' && kind !== 'resource') return METHODS[kind]
  const offered = types.get(route.type)?.operations
  if (offered === undefined) return METHODS[kind]
  return Object.entries(OPERATIONS[kind])
    .filter(([, operation]) => offered.has(operation))
    .map(([method]) => method)
}
