import {
  createRouteTable,
  isResponse,
  json,
  observeRequest,
  pathBelow,
  requestIdOf,
  respond,
  traceHeaders,
  responseParts,
  withHeaders,
  withRequestId,
  type ObservedRequest,
  type RequestHooks,
  type RouteMatch,
  type RouteTable,
  type Runtime,
} from '@x/wire'
import type { HostContext } from '../options.ts'
import type { Caller } from '../services/base/caller.ts'
import { runOrigin, type RunOrigin } from '../services/runs/run-origin.ts'
import type { FlowServices } from '../services/services.ts'
import type { FlowSettings } from '../settings.ts'
import { checkRights, type Authenticate } from './access/authenticate.ts'
import { auditRecord, type AuditedCall, type WriteAudit } from './access/record-audit.ts'
import { nameOfClient, Sender, type CallerRevalidation } from './access/sender.ts'
import type { AuditNotes } from './route/audit-rule.ts'
import { bodyLimitOf } from './route/body-limit.ts'
import { createCors } from './access/cors.ts'
import { errorResponse } from './response/error-response.ts'
import { encodedLength, textAnswer } from './response/long-text.ts'
import {
  createResponseMemoryLimit,
  type UnreadResponse,
  type ResponseMemoryLimit,
} from './response/response-memory-limit.ts'
import { anonymous } from './route/anonymous.ts'
import { createHostGate } from './access/host-gate.ts'
import { OPENAI_BASE, openAiNotFound, openAiWrongMethod } from './response/openai-errors.ts'
import { createBodyMemoryLimit, type BodyMemoryLimit } from './request/body-memory-limit.ts'
import { outsideBase } from './response/outside-base.ts'
import { parseRequest } from './request/parse.ts'
import { redirect } from './response/redirect.ts'
import {
  checkAnnouncedLength,
  createRequestBody,
  readUpload,
  type RequestBody,
  type UploadedFile,
  type UploadOptions,
} from './request/request-body.ts'
import { JsonParts, JsonText, type Call, type Route } from './route/route.ts'

/** Options of a handler. */
export interface HandlerOptions {
  readonly routes: readonly Route[]
  readonly services: FlowServices
  readonly settings: FlowSettings
  readonly authenticate: Authenticate
  readonly callerRevalidation: CallerRevalidation
  readonly runtime: Runtime
  /** Serves `/api/openai/v1`. */
  readonly openAi: boolean
  /** Receives audit records. */
  readonly audit: WriteAudit | undefined
  /** Called for each request. */
  readonly hooks: RequestHooks | undefined
  readonly report: (error: unknown, info?: Readonly<Record<string, unknown>>) => void
}

type Handler = (request: Request, context?: HostContext) => Promise<Response>

/**
 * Handles requests in this order: route, credentials, size, rights, validation, operation. Never
 * rejects.
 */
export function createHandler(options: HandlerOptions): Handler {
  const { settings, report, hooks, runtime } = options
  const table = createRouteTable(options.routes)
  const cors = createCors(settings)
  const hostGate = createHostGate(settings)
  const unread = createResponseMemoryLimit(settings.maxUnreadMbPerClient * MIB)
  const bodies = createBodyMemoryLimit(settings.maxUnreadMbPerClient * MIB)

  const respondTo = async (
    incoming: Incoming,
    failed: (error: unknown) => void,
  ): Promise<Response> => {
    const { request, context, id } = incoming
    const foreign = hostGate(request, context) ?? cors.preflight(request)
    if (foreign !== undefined) return foreign
    const reportFailure = (error: unknown): void => {
      failed(error)
      const { method } = request
      report(error, { method, path: incoming.url.pathname, ...context, requestId: id })
    }
    const response = await answer(
      { ...options, unread, bodies },
      table,
      incoming,
      reportFailure,
    ).catch((error: unknown) => errorResponse(request, error, reportFailure))
    const lines = Object.entries(cors.headers(request))
    return withHeaders(response, isKept(response) ? lines : [...lines, NOT_KEPT], {
      replace: false,
    })
  }

  return async (request, context = {}) => {
    const url = new URL(request.url)
    const id = requestIdOf(request, context.requestId, () => runtime.uuid())
    const path = pathBelow(url.pathname, settings.basePath)
    const match: RouteMatch<Route> =
      path === undefined ? { kind: 'none' } : table.match(request.method, path)
    const incoming: Incoming = { request, context, url, id, path, match, observed: undefined }
    if (hooks === undefined) return withRequestId(await respondTo(incoming, () => undefined), id)
    const observed: ObservedRequest = {
      requestId: id,
      method: request.method,
      route: match.kind === 'found' ? `${settings.basePath}${match.route.path}` : null,
      headers: traceHeaders(request.headers),
      context,
    }
    incoming.observed = observed
    const response = await observeRequest(hooks, observed, {
      work: (failed) => respondTo(incoming, failed),
      onError: (error) => report(error, { requestId: id }),
    })
    return withRequestId(response, id)
  }
}

/** Responses are private, but some proxies cache by file extension. */
const NOT_KEPT = ['cache-control', 'no-store'] as const

/** True if a response has its own `cache-control`. */
function isKept(response: Response): boolean {
  const parts = responseParts(response)
  if (parts === undefined) return response.headers.has('cache-control')
  return parts.headers.some(([name]) => name === 'cache-control')
}

interface Incoming {
  readonly request: Request
  readonly context: HostContext
  readonly url: URL
  readonly id: string
  /** Path below the base; undefined if it is outside. */
  readonly path: string | undefined
  readonly match: RouteMatch<Route>
  /** Set if there are hooks; adding it by a spread would cost as much as reading the path. */
  observed: ObservedRequest | undefined
}

interface Answering extends HandlerOptions {
  readonly unread: ResponseMemoryLimit
  readonly bodies: BodyMemoryLimit
}

async function answer(
  options: Answering,
  table: RouteTable<Route>,
  incoming: Incoming,
  reportFailure: (error: unknown) => void,
): Promise<Response> {
  const { request, url, path, match } = incoming
  const { basePath } = options.settings
  if (path === undefined) return outsideBase(request, url.pathname, { basePath, table })
  const isOpenAi = options.openAi && path.startsWith(OPENAI_BASE)
  if (match.kind === 'none') {
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`
    if (table.match(request.method, other).kind === 'none')
      return isOpenAi
        ? openAiNotFound(request, path)
        : outsideBase(request, url.pathname, { basePath, table })
    return redirect(`${basePath}${other}${url.search}`)
  }
  if (match.kind === 'method') {
    const allow = match.allow.filter((method) => method !== 'HEAD').join(', ')
    if (isOpenAi) return openAiWrongMethod(request, allow)
    const headers = { allow }
    return json(request, { detail: 'Method Not Allowed' }, { status: 405, headers })
  }
  const { answerError } = match.route
  const operated = operate(options, match, incoming)
  if (answerError === undefined) return await operated
  return await operated.catch((error: unknown) =>
    answerError(request, error, { report: reportFailure, services: options.services }),
  )
}

async function operate(
  options: Answering,
  match: { readonly route: Route; readonly params: Readonly<Record<string, string>> },
  incoming: Incoming,
): Promise<Response> {
  const { services, settings, authenticate, callerRevalidation, runtime, bodies } = options
  const { route } = match
  const { request, context, url, observed } = incoming
  const { auth } = route
  route.before?.(request.headers, url, settings)
  const admit = () => authenticate(auth, { request, url, context })
  const caller = await admit()
  if (isResponse(caller)) return caller
  if (observed !== undefined && caller !== undefined) observed.userId = caller.id
  await route.guard?.({ services, caller: caller ?? anonymous })
  const limit = bodyLimitOf(route, settings)
  await checkAnnouncedLength(request, limit, runtime)
  checkRights(auth, caller)
  const sender = new Sender({ auth, caller, callerRevalidation, askHost: admit, runtime })
  const held = bodies.open(() => nameOfClient(caller ?? anonymous, context))
  const body = createRequestBody(request, limit, { held, arrived: sender.arrived })
  try {
    const parts = await parseRequest(route, match.params, url.searchParams, body)
    return await perform(
      options,
      route,
      new IncomingCall(services, parts, incoming, { sender, body }),
    )
  } finally {
    held.release()
  }
}

async function perform(
  { runtime, audit: write, unread }: Answering,
  route: Route,
  call: IncomingCall,
): Promise<Response> {
  const { audit } = route
  if (audit === undefined || write === undefined) {
    const work = async (): Promise<Response> =>
      encode(route, await route.handle(call), call, unread)
    return await (route.isLong === true
      ? unread.prepare(nameOfClient(call.caller, call.context), work)
      : work())
  }
  const recordAudit = async (result: Parameters<typeof auditRecord>[2]): Promise<void> => {
    const record = auditRecord(audit, call.audited, result, runtime)
    if (record !== undefined) await write(record)
  }
  let value: unknown
  try {
    value = await route.handle(call)
  } catch (error) {
    if (audit.refused === true && isRefusal(error)) await recordAudit({ outcome: 'refused' })
    throw error
  }
  await recordAudit({ outcome: 'ok', value })
  return await encode(route, value, call, unread)
}

/** True if the call was refused for lack of rights. */
function isRefusal(error: unknown): boolean {
  const status: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'status') : undefined
  return typeof status === 'number' && status >= 400 && status < 500
}

/** A call as passed to its operation. */
class IncomingCall implements Call<unknown, unknown, unknown> {
  readonly services: FlowServices
  readonly caller: Caller
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly notes: AuditNotes = {}
  readonly request: Request
  readonly url: URL
  readonly context: HostContext
  readonly #id: string
  readonly #observed: ObservedRequest | undefined
  readonly #readable: RequestBody

  constructor(
    services: FlowServices,
    parts: Pick<IncomingCall, 'params' | 'query' | 'body'>,
    given: Pick<Incoming, 'request' | 'url' | 'context' | 'id' | 'observed'>,
    { sender, body }: { readonly sender: Sender; readonly body: RequestBody },
  ) {
    this.services = services
    this.caller = sender.caller ?? anonymous
    this.params = parts.params
    this.query = parts.query
    this.body = parts.body
    this.request = given.request
    this.url = given.url
    this.context = given.context
    this.#id = given.id
    this.#observed = given.observed
    this.#readable = body
  }

  /** The part of the call that audit records use. */
  get audited(): AuditedCall {
    const { caller, params, body, context, notes } = this
    const known = caller === anonymous ? undefined : caller
    return { caller: known, params, body, context, requestId: this.#id, notes }
  }

  /** Created on first use. */
  get signal(): AbortSignal {
    return this.request.signal
  }

  /** Created on first use. */
  get origin(): RunOrigin {
    const { headers, carrier } = this.#observed ?? { headers: traceHeaders(this.request.headers) }
    return runOrigin(this.#id, carrier ?? { ...headers }, this.caller.keyHash)
  }

  readonly bytesWithin = (most: number): Promise<Uint8Array> => this.#readable.within(most)

  readonly bytes = (): Promise<Uint8Array> => this.#readable.bytes()

  readonly upload = (options?: UploadOptions): Promise<UploadedFile> =>
    readUpload(this.#readable, options)
}

const MIB = 1024 * 1024

async function encode(
  route: Route,
  value: unknown,
  call: IncomingCall,
  unread: ResponseMemoryLimit,
): Promise<Response> {
  if (value instanceof Response) return value
  const status = route.status ?? 200
  if (value === undefined) return new Response(null, { status })
  const { request } = call
  // A request that may have changed something is answered in any case.
  const refuses = route.method === 'GET'
  const admit = (characters: number): UnreadResponse =>
    unread.admit(nameOfClient(call.caller, call.context), characters, refuses)
  const init = { status, headers: { 'content-type': 'application/json' } }
  const gzip = route.gzip === true
  if (value instanceof JsonParts)
    return await textAnswer(request, value.parts, { gzip, admit, ...init })
  const text = value instanceof JsonText ? value.text : JSON.stringify(value)
  if (gzip) return await textAnswer(request, [text], { ...init, gzip })
  if (text.length <= MIB) return respond(request, text, init)
  const headers = { ...init.headers, 'content-length': String(await encodedLength(text)) }
  return await textAnswer(request, [text], { status, headers, admit })
}
