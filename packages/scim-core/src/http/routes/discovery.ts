import { notFound, scimForbidden } from '../../base/errors.ts'
import type { ScimConfig } from '../../options/options.ts'
import { resourceTypes, schemaResources, serviceProviderConfig } from '../discovery.ts'
import { listText } from '../list-text.ts'
import { reply, type Reply } from '../reply.ts'
import type { Route } from '../route.ts'

type DiscoveryRoute = Extract<Route, { kind: 'config' | 'resourceTypes' | 'schemas' }>

/** ServiceProviderConfig, ResourceTypes and Schemas (RFC 7644 section 4). */
export function serveDiscovery(
  config: ScimConfig,
  route: DiscoveryRoute,
  { baseUrl, filtered }: { readonly baseUrl: string; readonly filtered: boolean },
): Reply {
  if (route.kind === 'config') {
    return reply(200, JSON.stringify(serviceProviderConfig(config, baseUrl)))
  }
  if (filtered) throw scimForbidden('Discovery cannot be filtered.')
  const all =
    route.kind === 'schemas' ? schemaResources(config, baseUrl) : resourceTypes(config, baseUrl)
  const { name } = route
  if (name === null) {
    const texts = all.map((one) => JSON.stringify(one))
    return reply(200, listText({ total: texts.length, texts }, ',"startIndex":1'))
  }
  const found = all.find(({ id }) => String(id).toLowerCase() === name.toLowerCase())
  if (found === undefined) {
    throw notFound(route.kind === 'schemas' ? 'Schema' : 'ResourceType', name)
  }
  return reply(200, JSON.stringify(found))
}
