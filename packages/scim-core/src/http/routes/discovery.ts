import { notFound, scimForbidden } from '../../base/errors.ts'
import { ENTERPRISE_URN } from '../../schema/enterprise.ts'
import { GROUP_URN } from '../../schema/group.ts'
import { USER_URN } from '../../schema/user.ts'
import type { ScimConfig } from '../../options/options.ts'
import { resourceTypes, schemaResources, serviceProviderConfig } from '../discovery.ts'
import { listText } from '../list-text.ts'
import { reply, type Reply } from '../reply.ts'
import type { Route } from '../route.ts'

/** Names of the documents that some clients ask for (quirk `discoveryAliases`). */
const ALIASES: Readonly<Record<'schemas' | 'resourceTypes', ReadonlyMap<string, string>>> = {
  schemas: new Map([
    ['user', USER_URN],
    ['users', USER_URN],
    ['group', GROUP_URN],
    ['groups', GROUP_URN],
    ['enterpriseuser', ENTERPRISE_URN],
  ]),
  resourceTypes: new Map([
    ['users', 'User'],
    ['groups', 'Group'],
  ]),
}

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
  const wanted = name.toLowerCase()
  const alias = config.quirks.discoveryAliases ? ALIASES[route.kind].get(wanted) : undefined
  const id = (alias ?? wanted).toLowerCase()
  const found =
    all.find((one) => String(one['id']).toLowerCase() === wanted) ??
    all.find((one) => String(one['id']).toLowerCase() === id)
  if (found === undefined) {
    throw notFound(route.kind === 'schemas' ? 'Schema' : 'ResourceType', name)
  }
  return reply(200, JSON.stringify(found))
}
