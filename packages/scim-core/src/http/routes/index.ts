import { notFound, ScimError } from '../../base/errors.ts'
import type { Arrived, CallerRevalidation } from '../caller-revalidation.ts'
import { readJsonBody } from '../json-body.ts'
import { readListParameters, readSearchBody } from '../list-query.ts'
import type { Service } from '../../rules/service.ts'
import type { Exchange } from '../exchange.ts'
import type { Reply } from '../reply.ts'
import type { Route } from '../route.ts'
import { serveBulk } from './bulk.ts'
import { serveDiscovery } from './discovery.ts'
import { serveList } from './lists.ts'
import { createResource, serveResource } from './resources.ts'

/** Serves a request whose path, method and rights have been checked. */
export function serveRoute(
  service: Service,
  route: Route,
  exchange: Omit<Exchange, 'body'>,
  callerRevalidation: CallerRevalidation,
): Promise<Reply> | Reply {
  const { config } = service
  const { limits } = config
  const { call } = exchange
  const begun = config.runtime.now()
  const arrived: Arrived = () => callerRevalidation(exchange, route, begun)
  switch (route.kind) {
    case 'config':
    case 'resourceTypes':
    case 'schemas':
      return serveDiscovery(config, route, {
        baseUrl: call.presenter.baseUrl,
        filtered: exchange.query.has('filter'),
      })
    case 'collection':
      if (exchange.method === 'POST') {
        return withBody(service, exchange, arrived).then((whole) =>
          createResource(service, whole, route.type),
        )
      }
      return serveList(service, call, {
        type: route.type,
        request: readListParameters(exchange.query, limits),
      })
    case 'root':
      return serveList(service, call, {
        type: null,
        request: readListParameters(exchange.query, limits),
      })
    case 'search':
    case 'rootSearch': {
      const type = route.kind === 'search' ? route.type : null
      return withBody(service, exchange, arrived).then(({ body }) =>
        serveList(service, call, { type, request: readSearchBody(body, limits) }),
      )
    }
    case 'resource':
      return WITH_BODY.has(exchange.method)
        ? withBody(service, exchange, arrived).then((whole) => serveResource(service, whole, route))
        : serveResource(service, bodiless(exchange), route)
    case 'me':
      return serveMe(service, exchange, arrived)
    case 'bulk':
      return serveBulk(service, exchange, arrived)
  }
}

/** The user named by the host, served as if requested by id. */
async function serveMe(
  service: Service,
  exchange: Omit<Exchange, 'body'>,
  arrived: Arrived,
): Promise<Reply> {
  const { resolveMe } = service
  if (resolveMe === undefined || exchange.principal === null) {
    throw new ScimError('not_implemented', 'The endpoint /Me is not supported.')
  }
  const withJson = WITH_BODY.has(exchange.method)
    ? await withBody(service, exchange, arrived)
    : bodiless(exchange)
  const id = await resolveMe(exchange.principal)
  if (id === null) throw notFound('User', 'of this principal')
  exchange.call.trace.resourceId = id
  return serveResource(service, withJson, { type: 'User', id })
}

/** Methods with a JSON body. */
const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])
const NO_BODY: Exchange['body'] = {}

async function withBody(
  service: Service,
  exchange: Omit<Exchange, 'body'>,
  arrived: Arrived,
): Promise<Exchange> {
  const { bodyBytes: bytes, jsonDepth: depth } = service.config.limits
  const body = await readJsonBody(exchange.request, { bytes, depth })
  exchange.call.trace.body = body
  return joined(exchange, body, await arrived())
}

function bodiless(exchange: Omit<Exchange, 'body'>): Exchange {
  return joined(exchange, NO_BODY, exchange.principal)
}

/** Written out, because spreading would cost as much as the rest of a GET here. */
function joined(
  { request, method, query, call }: Omit<Exchange, 'body'>,
  body: Exchange['body'],
  principal: Exchange['principal'],
): Exchange {
  return { request, method, query, principal, call, body }
}
