import {
  isResponse,
  joinRequestHooks,
  mountedAt,
  observeRequest,
  isSchemaError,
  outsideBasePath,
  pathBelow,
  requestIdOf,
  requestMetrics,
  respond,
  traceHeaders,
  withRequestId,
  type ObservedRequest,
  type RequestHooks,
} from '@x/wire'
import { ScimError } from '../base/errors.ts'
import type { ScimConfig, ScimOptions } from '../options/options.ts'
import type { ScimContext, ScimPrincipal } from '../base/principal.ts'
import type { Service } from '../rules/service.ts'
import { subjectOf } from './subject.ts'
import type { Call } from '../rules/call.ts'
import { assertOutsideHook, hookOwnerOf } from '../store/hooks.ts'
import { createAuthenticate, type Authenticate, type Authenticated } from './authenticate.ts'
import { errorReply } from './error-response.ts'
import { toScimError } from '../rules/to-scim-error.ts'
import { createCallerRevalidation, type CallerRevalidation } from './caller-revalidation.ts'
import { refusedOf } from './challenge.ts'
import { parseQuery, parseTarget, singleSlashes } from './location.ts'
import { createRateLimiter } from './rate-limiter.ts'
import type { Reply } from './reply.ts'
import { findRoute, methodsOf, type Route } from './route.ts'
import { routePattern } from './route-pattern.ts'
import { serveRoute } from './routes/index.ts'
import { assertScopes, scopesOf } from './scopes.ts'
import { streamBody } from './stream-body.ts'

/**
 * Handles SCIM requests. All errors become responses; only within a hook of the service it rejects, with a
 * ScimReentryError.
 */
export type ScimHandler = (request: Request, context?: ScimContext) => Promise<Response>

interface Frame {
  readonly service: Service
  readonly options: ScimOptions
  readonly authenticate: Authenticate
  readonly callerRevalidation: CallerRevalidation
  /** @throws RateLimitError */
  readonly takeRequest: ReturnType<typeof createRateLimiter>
}

/** A request that is being validated. */
interface Incoming {
  readonly request: Request
  readonly method: string
  readonly context: ScimContext
  readonly route: Route | undefined
  readonly query: string
  readonly requestId: string
  /**
   * Set if there are hooks. Declared here, because adding them by spreading would cost more than all
   * checks.
   */
  observed: ObservedRequest | undefined
  /** Called with errors that result in a 500 response. */
  failed: ((error: unknown) => void) | undefined
}

/** Facts about the caller that became known before the request was answered or refused. */
interface Identity {
  tenant: string | null
  principal: ScimPrincipal | null
  call: Call | null
  answered: Authenticated['answered']
}

/** @throws ScimConfigError */
export function createHandler(service: Service, options: ScimOptions): ScimHandler {
  const { config } = service
  const authenticate = createAuthenticate(options.auth, (error) => service.report(error, ''))
  const frame: Frame = {
    service,
    options,
    authenticate,
    callerRevalidation: createCallerRevalidation(config, authenticate, config.runtime),
    takeRequest: createRateLimiter(config.runtime),
  }
  const owner = hookOwnerOf(config.store)
  const { metrics } = options
  const hooks = joinRequestHooks([options.requestHooks, metrics && requestMetrics(metrics, 'scim')])
  return async (request, context = {}) => {
    assertOutsideHook(owner, 'handle')
    const { path, query } = parseTarget(request.url)
    const below = pathBelow(path, config.basePath)
    if (below === undefined) return outside(request, config, options.outsideBase)
    const { method } = request
    const requestId = requestIdOf(request, context.requestId, () => config.runtime.uuid())
    const route = findRoute(config.quirks.extraSlashes ? singleSlashes(below) : below, config.types)
    const incoming: Incoming = {
      request,
      method,
      context,
      route,
      query,
      requestId,
      observed: undefined,
      failed: undefined,
    }
    const response =
      hooks === undefined ? await answer(frame, incoming) : await observed(frame, incoming, hooks)
    return withRequestId(response, requestId)
  }
}

/** Handles a request and calls the request hooks. */
function observed(frame: Frame, incoming: Incoming, hooks: RequestHooks): Promise<Response> {
  const { service } = frame
  const { request, method, context, route, requestId } = incoming
  const info: ObservedRequest = {
    requestId,
    method,
    route: route === undefined ? null : routePattern(route, service.config),
    headers: traceHeaders(request.headers),
    context,
  }
  incoming.observed = info
  return observeRequest(hooks, info, {
    work(failed) {
      incoming.failed = failed
      return answer(frame, incoming)
    },
    onError: (error) => service.report(error, requestId),
  })
}

/** Handles a request and writes its audit entry, whatever the outcome. */
async function answer(frame: Frame, incoming: Incoming): Promise<Response> {
  const { service } = frame
  const { request, method, route, requestId } = incoming
  const identity: Identity = {
    tenant: null,
    principal: null,
    call: null,
    answered: undefined,
  }
  const started = service.config.runtime.now()
  let error: ScimError | undefined
  let result: Reply | Response
  try {
    result = await serve(frame, incoming, { identity, started })
  } catch (thrown) {
    error = toScimError(thrown)
    if (error.code === 'internal' || isSchemaError(thrown)) {
      incoming.failed?.(thrown)
      service.failed(thrown, requestId)
    }
    result = errorReply(error)
    if (error.code === 'method_not_allowed') result = withAllow(result, route, service)
  }
  const { principal, answered } = identity
  if (principal !== null) {
    const { status } = result
    const { scimType = null, detail = null } = error ?? {}
    answered?.(principal, { status, scimType, detail })
  }
  const finished = ({ aborted = false } = {}): void =>
    service.audit(subjectOf(route, method), {
      started,
      requestId,
      tenant: identity.tenant,
      actor: identity.principal?.id ?? null,
      status: result.status,
      error,
      trace: identity.call?.trace,
      connectionId: identity.principal?.connectionId,
      provider: identity.principal?.provider,
      seen: frame.options.observe && {
        path: parseTarget(request.url).path,
        secretId: identity.principal?.id ?? null,
        clientAddress: incoming.context.clientAddress ?? null,
        refused: refusedOf(error),
      },
      aborted,
    })
  if (isResponse(result)) {
    finished()
    return result
  }
  const { body } = result
  if (body === null || typeof body === 'string' || method === 'HEAD') {
    finished()
    return toResponse(request, { ...result, body: typeof body === 'string' ? body : null })
  }
  const stream = streamBody(body, {
    onEnd: () => finished(),
    onCancel: () => finished({ aborted: true }),
    onError(failure) {
      service.failed(failure, requestId)
      finished({ aborted: true })
    },
  })
  return new Response(stream, { status: result.status, headers: { ...result.headers } })
}

function toResponse(
  request: Request,
  { status, body, headers = {} }: Reply & { readonly body: string | null },
): Response {
  return respond(request, request.method === 'HEAD' ? null : body, { status, headers })
}

/** The checks after the first, in order. */
async function serve(
  { service, options, authenticate, callerRevalidation, takeRequest }: Frame,
  incoming: Incoming,
  { identity, started }: { readonly identity: Identity; readonly started: Date },
): Promise<Reply | Response> {
  const { request, method, context, route, requestId } = incoming
  if (options.enabled === false) throw new ScimError('disabled', 'SCIM is not enabled.')
  const { addresses } = service.config
  if (addresses !== null && !addresses(context.clientAddress)) {
    throw new ScimError('forbidden', 'Requests from this address are not allowed.')
  }
  const { resolveTenant } = options
  const resolved = context.tenant ?? (resolveTenant && (await resolveTenant(request, context)))
  if (resolved === null) throw new ScimError('not_found', 'No tenant is served at this host.')
  const open = options.publicDiscovery === true && isDiscovery(route)
  if (!open) {
    const asked = authenticate(request, context)
    const found = asked instanceof Promise ? await asked : asked
    if (isResponse(found)) return found
    identity.principal = found.principal
    identity.answered = found.answered
  }
  const tenant = tenantOf(resolved, identity.principal)
  identity.tenant = tenant
  if (incoming.observed !== undefined) incoming.observed.tenant = tenant
  const { principal } = identity
  const active = service.withSettings(principal?.settings)
  const { rateLimit } = active.config
  if (rateLimit !== null) takeRequest(tenant, rateLimit)
  if (route === undefined) throw new ScimError('not_found', 'There is no such endpoint.')
  if (!methodsOf(route, service.config.types).includes(method)) {
    throw new ScimError('method_not_allowed', 'The endpoint does not know this method.')
  }
  if (!open) assertScopes(identity.principal, scopesOf(service.config, route, method))
  const call = active.createCall({
    tenant,
    connectionId: principal?.connectionId,
    provider: principal?.provider,
    actor: identity.principal?.id ?? null,
    requestId,
    context,
    now: started,
    ifMatch: request.headers.get('if-match'),
    isInProcess: false,
  })
  identity.call = call
  const query = parseQuery(incoming.query)
  const exchange = { request, method, query, principal, call }
  return await serveRoute(active, route, exchange, callerRevalidation)
}

function isDiscovery(route: Route | undefined): boolean {
  return route?.kind === 'config' || route?.kind === 'resourceTypes' || route?.kind === 'schemas'
}

/** @throws ScimError unauthorized if the principal belongs to another tenant */
function tenantOf(named: string | undefined, principal: ScimPrincipal | null): string {
  const tenant = named ?? principal?.tenant ?? 'default'
  if (principal !== null && principal.tenant !== tenant) {
    throw new ScimError('unauthorized', 'The principal belongs to another tenant.')
  }
  return tenant
}

function withAllow(result: Reply, route: Route | undefined, { config }: Service): Reply {
  const allow = route === undefined ? '' : methodsOf(route, config.types).join(', ')
  return { ...result, headers: { ...result.headers, allow } }
}

function outside(
  request: Request,
  { basePath, types }: ScimConfig,
  mode: ScimOptions['outsideBase'],
): Response {
  const { path } = parseTarget(request.url)
  const isRoute = (rest: string): boolean =>
    /[^/]/.test(rest) && findRoute(rest, types) !== undefined
  const place = `SCIM base path ${basePath === '' ? '/' : basePath}`
  const detail = outsideBasePath(path, { place, mount: mountedAt(path, isRoute) })
  const result = errorReply(new ScimError('not_found', detail))
  const headers = mode === 'pass' ? { ...result.headers, 'x-scim-outside': '1' } : result.headers
  const { status, body } = result
  return toResponse(request, { status, body, ...(headers && { headers }) })
}
