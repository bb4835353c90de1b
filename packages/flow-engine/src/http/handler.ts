import { createRouteTable, json, respond, type RouteTable, type Runtime } from '@x/wire'
import type { HostContext } from '../options.ts'
import type { Caller } from '../services/caller.ts'
import type { FlowServices } from '../services/services.ts'
import type { FlowSettings } from '../settings.ts'
import { checkRights, type Authenticate } from './authenticate.ts'
import { bodyLimitOf } from './body-limit.ts'
import { createCors } from './cors.ts'
import { errorResponse } from './error-response.ts'
import { compressed } from './gzip.ts'
import { nobody } from './nobody.ts'
import { createHostGate } from './host-gate.ts'
import { OPENAI_BASE, openAiNotFound, openAiWrongMethod } from './openai-errors.ts'
import { parseRequest } from './parse.ts'
import { redirect } from './redirect.ts'
import {
  checkAnnouncedLength,
  createRequestBody,
  readUpload,
  type RequestBody,
  type UploadedFile,
} from './request-body.ts'
import { JsonText, type Call, type Route } from './route.ts'

/** What a handler is made of. */
export interface HandlerOptions {
  readonly routes: readonly Route[]
  readonly services: FlowServices
  readonly settings: FlowSettings
  readonly authenticate: Authenticate
  readonly runtime: Runtime
  /** Whether `/api/openai/v1` is served. */
  readonly openAi: boolean
  readonly report: (error: unknown, info?: Readonly<Record<string, unknown>>) => void
}

type Handler = (request: Request, context?: HostContext) => Promise<Response>

/**
 * Answers requests in the order of auth.md: route, credentials, size, rights, validation, the
 * operation itself. Never rejects.
 */
export function createHandler(options: HandlerOptions): Handler {
  const { settings, report } = options
  const table = createRouteTable(options.routes)
  const cors = createCors(settings)
  const hostGate = createHostGate(settings)

  return async (request, context = {}) => {
    const foreign = hostGate(request, context)
    if (foreign !== undefined) return foreign
    const preflight = cors.preflight(request)
    if (preflight !== undefined) return preflight
    const response = await answer(options, table, { request, context }).catch((error: unknown) =>
      errorResponse(request, error, (cause) =>
        report(cause, { method: request.method, path: pathOf(request), ...context }),
      ),
    )
    return withHeaders(response, cors.headers(request))
  }
}

function pathOf(request: Request): string {
  return new URL(request.url).pathname
}

interface Incoming {
  readonly request: Request
  readonly context: HostContext
}

async function answer(
  options: HandlerOptions,
  table: RouteTable<Route>,
  { request, context }: Incoming,
): Promise<Response> {
  const url = new URL(request.url)
  const { basePath } = options.settings
  if (!url.pathname.startsWith(basePath)) return notFound(request)
  const path = url.pathname.slice(basePath.length)
  const match = table.match(request.method, path)
  const isOpenAi = options.openAi && path.startsWith(OPENAI_BASE)
  const known = { request, id: context.requestId ?? options.runtime.uuid() }
  if (match.kind === 'none') {
    const other = path.endsWith('/') ? path.slice(0, -1) : `${path}/`
    if (table.match(request.method, other).kind === 'none')
      return isOpenAi ? openAiNotFound(known, path) : notFound(request)
    return redirect(`${basePath}${other}${url.search}`)
  }
  if (match.kind === 'method') {
    const allow = match.allow.filter((method) => method !== 'HEAD').join(', ')
    if (isOpenAi) return openAiWrongMethod(known, allow)
    const headers = { allow }
    return json(request, { detail: 'Method Not Allowed' }, { status: 405, headers })
  }
  const { answerError } = match.route
  const operated = operate(options, match, { request, context, url })
  if (answerError === undefined) return await operated
  const report = (error: unknown): void =>
    options.report(error, { method: request.method, path, ...context })
  return await operated.catch((error: unknown) =>
    answerError(request, error, { id: known.id, report, services: options.services }),
  )
}

function notFound(request: Request): Response {
  return json(request, { detail: 'Not Found' }, { status: 404 })
}

async function operate(
  { services, settings, authenticate, runtime }: HandlerOptions,
  { route, params }: { readonly route: Route; readonly params: Readonly<Record<string, string>> },
  { request, context, url }: Incoming & { readonly url: URL },
): Promise<Response> {
  route.before?.(request.headers, url, settings)
  const caller = await authenticate(route.auth, { request, url, context })
  if (caller instanceof Response) return caller
  const known = { services, caller: caller ?? nobody }
  await route.guard?.(known)
  const limit = bodyLimitOf(route, settings)
  await checkAnnouncedLength(request, limit, runtime)
  checkRights(route.auth, caller)
  const body = createRequestBody(request, limit)
  const parts = await parseRequest(route, params, url.searchParams, body)
  const call = new IncomingCall(known, parts, { request, url, context, readable: body })
  return await encode(route, request, await route.handle(call))
}

/** A call as its operation sees it. */
class IncomingCall implements Call<unknown, unknown, unknown> {
  readonly services: FlowServices
  readonly caller: Caller
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly request: Request
  readonly url: URL
  readonly context: HostContext
  readonly #readable: RequestBody

  constructor(
    known: Pick<IncomingCall, 'services' | 'caller'>,
    parts: Pick<IncomingCall, 'params' | 'query' | 'body'>,
    given: Pick<IncomingCall, 'request' | 'url' | 'context'> & { readonly readable: RequestBody },
  ) {
    this.services = known.services
    this.caller = known.caller
    this.params = parts.params
    this.query = parts.query
    this.body = parts.body
    this.request = given.request
    this.url = given.url
    this.context = given.context
    this.#readable = given.readable
  }

  /** Made when an operation asks for it. */
  get signal(): AbortSignal {
    return this.request.signal
  }

  readonly bytes = (): Promise<Uint8Array> => this.#readable.bytes()

  readonly upload = (): Promise<UploadedFile> => readUpload(this.#readable)
}

async function encode(route: Route, request: Request, value: unknown): Promise<Response> {
  if (value instanceof Response) return value
  const status = route.status ?? 200
  if (value === undefined) return new Response(null, { status })
  const text = value instanceof JsonText ? value.text : JSON.stringify(value)
  const headers = { 'content-type': 'application/json' }
  return route.gzip === true
    ? await compressed(request, text, { status, headers })
    : respond(request, text, { status, headers })
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  const entries = Object.entries(headers)
  if (entries.length === 0) return response
  const copy = new Response(response.body, response)
  for (const [name, value] of entries) copy.headers.append(name, value)
  return copy
}
