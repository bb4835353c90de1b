import {
  amount,
  anything,
  callback,
  choice,
  createSystemRuntime,
  eventStream,
  implementing,
  isBodyRefused,
  isBodyTooLarge,
  joinRequestHooks,
  json,
  mountPath,
  observeRequest,
  optionCheck,
  outsideBasePath,
  pathBelow,
  requestIdOf,
  requestMetrics,
  required,
  respond,
  text,
  traceHeaders,
  withRequestId,
  type Metrics,
  type RequestHooks,
  type Runtime,
} from '@x/wire'
import { catalogsOf } from './catalog-names.ts'
import { openStreams } from './open-streams.ts'
import { versionNumber } from '../data/version.ts'
import { isSurfaceError } from '../diagnostics/errors.ts'
import type { AnyClientMessage } from '../message/any-message.ts'
import { formatLine } from '../message/format-message.ts'
import type { ChannelItem } from './channel-item.ts'
import type { SurfaceChannel } from './channel.ts'
import { negotiateVersionOf } from './negotiate-version.ts'
import { negotiate } from './negotiate.ts'
import { readClientMessages } from './read-client-messages.ts'
import {
  errorBody,
  jsonLinesHeaders,
  sseHeaders,
  toSseResponse,
  type SseItem,
} from './responses.ts'

/** Context of a client message. */
export interface ClientMessageContext {
  readonly request: Request
  readonly channel: SurfaceChannel
  /** The message as the viewer sent it. */
  readonly received: AnyClientMessage
}

/** Options of a surface handler. */
export interface SurfaceHandlerOptions {
  /** Returns the channel for a request, or a response such as a 401. */
  readonly open: (
    request: Request,
  ) => SurfaceChannel | Response | Promise<SurfaceChannel | Response>
  /** Called with client messages, one at a time. Default: they are ignored. */
  onClientMessage?(message: AnyClientMessage, context: ClientMessageContext): void | Promise<void>
  /**
   * In which version `onClientMessage` gets actions: that of the channel from 0.9.1 on, with the ids of the source's
   * components, or the viewer's. Default: channel.
   */
  readonly clientMessages?: 'channel' | 'as sent'
  /** Idle milliseconds before a keep-alive is sent. Default: 15000. */
  readonly heartbeatMs?: number
  /** Maximum bytes of a POST. Default: 65536. */
  readonly maxBodyBytes?: number
  readonly runtime?: Runtime
  /** Counts requests; created with `createMetrics` from any `/metrics` entry point. */
  readonly metrics?: Metrics
  /** Observes requests. */
  readonly requestHooks?: RequestHooks
  /** Where the handler is mounted, such as `/surfaces`: other paths get 404. Default: it answers on any path. */
  readonly basePath?: string
  /** The handler's path pattern as reported to hooks, such as `/surfaces/{name}/stream`. Default: none. */
  readonly route?: string
  /** Called with errors that result in a 500 response. Default: `console.error`. */
  readonly onError?: (error: unknown, info: { readonly requestId: string }) => void
}

const readOptions = optionCheck<SurfaceHandlerOptions>('surface-errors.md', {
  open: required(callback),
  onClientMessage: callback,
  clientMessages: choice('channel', 'as sent'),
  heartbeatMs: amount(0),
  maxBodyBytes: amount(0),
  runtime: implementing('Runtime', 'now', 'uuid'),
  metrics: anything,
  requestHooks: anything,
  basePath: mountPath,
  route: text,
  onError: callback,
})

/** Facts about a request that only the host knows. */
export interface SurfaceContext {
  /** For hooks, errors and `x-request-id`. Default: that header, else a random id. */
  readonly requestId?: string
}

interface Settings extends Omit<SurfaceHandlerOptions, 'runtime'> {
  readonly heartbeatMs: number
  readonly maxBodyBytes: number
  readonly runtime: Runtime
}

/**
 * A handler for one path: GET streams a channel as server-sent events or JSON Lines, POST accepts client
 * messages.
 * @throws OptionError, a TypeError, for a wrong, missing or unknown option
 */
export function createSurfaceHandler(
  given: SurfaceHandlerOptions,
): (request: Request, context?: SurfaceContext) => Promise<Response> {
  const options = readOptions('createSurfaceHandler', given)
  const { heartbeatMs = 15_000, maxBodyBytes = 65_536 } = options
  const runtime = options.runtime ?? createSystemRuntime()
  const settings: Settings = { ...options, heartbeatMs, maxBodyBytes, runtime }
  const { metrics, onError = writeToConsole } = options
  const requestHooks = joinRequestHooks([
    options.requestHooks,
    metrics && requestMetrics(metrics, 'surface', openStreams),
  ])
  return async (request, context = {}) => {
    const requestId = requestIdOf(request, context.requestId, () => runtime.uuid())
    const report = (error: unknown): void => onError(error, { requestId })
    const work = async (failed: (error: unknown) => void): Promise<Response> => {
      try {
        return await answer(request, settings)
      } catch (error) {
        const refused = refuse(request, error)
        if (refused.status >= 500 && !isSurfaceError(error)) {
          failed(error)
          report(error)
        }
        return refused
      }
    }
    if (requestHooks === undefined) return withRequestId(await work(() => undefined), requestId)
    const observed = {
      requestId,
      method: request.method,
      route: options.route ?? null,
      headers: traceHeaders(request.headers),
      context,
    }
    const response = await observeRequest(requestHooks, observed, { work, onError: report })
    return withRequestId(response, requestId)
  }
}

/** Without `onError` failures are still logged. */
function writeToConsole(error: unknown, { requestId }: { readonly requestId: string }): void {
  // oxlint-disable-next-line no-console -- the last resort of a host without `onError`
  console.error(`Surface request ${requestId} failed:`, error)
}

async function answer(request: Request, settings: Settings): Promise<Response> {
  const { basePath = '' } = settings
  const path = basePath === '' ? '' : new URL(request.url).pathname
  if (pathBelow(path, basePath) === undefined) {
    const place = `base path "${basePath}" of the surface`
    const message = outsideBasePath(path, { place, mount: undefined })
    return json(request, { error: { code: 'not_found', message } }, { status: 404 })
  }
  if (request.method === 'POST') return receive(request, settings)
  if (request.method === 'GET' || request.method === 'HEAD') return stream(request, settings)
  return json(
    request,
    { error: { code: 'method_not_allowed', message: 'Use GET or POST.' } },
    { status: 405, headers: { allow: 'GET, HEAD, POST' } },
  )
}

async function stream(request: Request, settings: Settings): Promise<Response> {
  const form = negotiate(request.headers.get('accept'))
  if (form === null) {
    const message = 'This address answers text/event-stream and application/jsonl.'
    return json(request, { error: { code: 'not_acceptable', message } }, { status: 406 })
  }
  const channel = await settings.open(request)
  if (!isChannel(channel)) return channel
  const version = negotiateVersionOf(request, channel.versions)
  if (version === null) {
    const message = `This address speaks ${channel.versions.map(versionNumber).join(', ')}.`
    return json(request, { error: { code: 'unsupported_version', message } }, { status: 406 })
  }
  const headers = { 'a2ui-version': versionNumber(version), vary: 'A2UI-Version, A2UI-Catalogs' }
  if (request.method === 'HEAD') {
    const own = form === 'sse' ? sseHeaders : jsonLinesHeaders
    return respond(request, null, { headers: { ...own, ...headers } })
  }
  const position = positionOf(request, form)
  // Subscribed here, so that a gap results in an error status. Aborting the request ends the subscription
  // and thus the body; failing the body would be logged as an error by the host.
  const items = begun(
    channel.subscribe({
      ...position,
      version,
      catalogs: catalogsOf(request),
      signal: request.signal,
    }),
  )
  const { heartbeatMs, runtime } = settings
  if (form === 'sse') {
    const options = { heartbeatMs, runtime, headers }
    return toSseResponse(withoutOldIds(items, position.after), options)
  }
  const body = eventStream(items, {
    count: openStreams,
    encode: ({ message }) => `${formatLine(message)}\n`,
    heartbeat: { text: '\n', everyMs: heartbeatMs, runtime },
  })
  return new Response(body, { headers: { ...jsonLinesHeaders, ...headers } })
}

function positionOf(request: Request, form: 'sse' | 'json-lines'): { after?: string } {
  const header = form === 'sse' ? request.headers.get('last-event-id') : null
  const after = header ?? new URL(request.url).searchParams.get('lastEventId')
  return after === null ? {} : { after }
}

/** A Response of another realm or a library is not an instance of this realm's class. */
function isChannel(opened: SurfaceChannel | Response): opened is SurfaceChannel {
  return 'subscribe' in opened
}

/** Omits repeated ids: such items cannot be resumed from. */
function withoutOldIds(items: AsyncIterable<ChannelItem>, after = ''): AsyncIterable<SseItem> {
  const iterator = items[Symbol.asyncIterator]()
  let last = after
  const strip = ({ id, message }: ChannelItem): SseItem => {
    if (id === last) return { message }
    last = id
    return { id, message }
  }
  // Not a generator, which could not leave the channel while waiting for an item.
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        const result = await iterator.next()
        return result.done === true ? result : { done: false, value: strip(result.value) }
      },
      async return() {
        await iterator.return?.()
        return { done: true, value: undefined }
      },
    }),
  }
}

/** The same iteration, already started. */
function begun(source: AsyncIterable<ChannelItem>): AsyncIterable<ChannelItem> {
  const iterator = source[Symbol.asyncIterator]()
  return { [Symbol.asyncIterator]: () => iterator }
}

async function receive(request: Request, settings: Settings): Promise<Response> {
  const channel = await settings.open(request)
  if (!isChannel(channel)) return channel
  const received = await readClientMessages(request, settings.maxBodyBytes, channel.versions)
  if (received.kind === 'refused') {
    const { status, code, message, diagnostics } = received
    const details = diagnostics === undefined ? {} : { diagnostics }
    return json(request, { error: { code, message, ...details } }, { status })
  }
  for (const message of received.messages) {
    const isKept = settings.clientMessages === 'as sent'
    const given = isKept ? message : channel.fromClient(message)
    await settings.onClientMessage?.(given, { request, channel, received: message })
  }
  return json(request, { accepted: received.messages.length }, { status: 202 })
}

/** Converts errors to responses. */
function refuse(request: Request, error: unknown): Response {
  if (isBodyTooLarge(error)) {
    const message = `A body may have ${error.limit} bytes.`
    return json(request, { error: { code: 'limit_exceeded', message } }, { status: 413 })
  }
  if (isBodyRefused(error)) {
    const { status, message } = error
    const code = status === 413 ? 'limit_exceeded' : 'invalid_body'
    return json(request, { error: { code, message } }, { status })
  }
  const status = isSurfaceError(error) ? error.status : 500
  const headers = status === 503 ? { 'retry-after': '5' } : {}
  const { diagnostics = [] } = isSurfaceError(error) ? error : {}
  const details = diagnostics.length === 0 ? {} : { diagnostics }
  return json(request, { error: { ...errorBody(error), ...details } }, { status, headers })
}
