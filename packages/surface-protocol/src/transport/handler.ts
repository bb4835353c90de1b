import {
  createSystemRuntime,
  eventStream,
  isBodyTooLarge,
  json,
  respond,
  type Runtime,
} from '@x/wire'
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

/** What happens around a client message. */
export interface ClientMessageContext {
  readonly request: Request
  readonly channel: SurfaceChannel
}

/** What a surface handler is made of. */
export interface SurfaceHandlerOptions {
  /** Finds the channel for a request, or answers it otherwise, for example with 401. */
  readonly open: (
    request: Request,
  ) => SurfaceChannel | Response | Promise<SurfaceChannel | Response>
  /** Receives what a client tells, one message after the other. Default: nothing happens. */
  onClientMessage?(message: AnyClientMessage, context: ClientMessageContext): void | Promise<void>
  /** Milliseconds of silence before the body shows a sign of life. Default: 15000. */
  readonly heartbeatMs?: number
  /** Bytes a POST may carry. Default: 65536. */
  readonly maxBodyBytes?: number
  readonly runtime?: Runtime
}

interface Settings extends Omit<SurfaceHandlerOptions, 'runtime'> {
  readonly heartbeatMs: number
  readonly maxBodyBytes: number
  readonly runtime: Runtime
}

/**
 * A handler for one address: GET streams a channel as server-sent events or JSON Lines, POST takes
 * client messages (SP-75, SP-76).
 */
export function createSurfaceHandler(
  options: SurfaceHandlerOptions,
): (request: Request) => Promise<Response> {
  const { heartbeatMs = 15_000, maxBodyBytes = 65_536 } = options
  const runtime = options.runtime ?? createSystemRuntime()
  const settings: Settings = { ...options, heartbeatMs, maxBodyBytes, runtime }
  return async (request) => {
    try {
      return await answer(request, settings)
    } catch (error) {
      return refuse(request, error)
    }
  }
}

async function answer(request: Request, settings: Settings): Promise<Response> {
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
  const headers = { 'a2ui-version': versionNumber(version), vary: 'A2UI-Version' }
  if (request.method === 'HEAD') {
    const own = form === 'sse' ? sseHeaders : jsonLinesHeaders
    return respond(request, null, { headers: { ...own, ...headers } })
  }
  const { signal } = request
  const position = positionOf(request, form)
  // Subscribed here, so that a gap is answered with a status.
  const items = begun(channel.subscribe({ ...position, version }))
  const { heartbeatMs, runtime } = settings
  if (form === 'sse') {
    const options = { signal, heartbeatMs, runtime, headers }
    return toSseResponse(withoutOldIds(items, position.after), options)
  }
  const body = eventStream(items, {
    encode: ({ message }) => `${formatLine(message)}\n`,
    heartbeat: { text: '\n', everyMs: heartbeatMs, runtime },
    signal,
  })
  return new Response(body, { headers: { ...jsonLinesHeaders, ...headers } })
}

function positionOf(request: Request, form: 'sse' | 'json-lines'): { after?: string } {
  const header = form === 'sse' ? request.headers.get('last-event-id') : null
  const after = header ?? new URL(request.url).searchParams.get('lastEventId')
  return after === null ? {} : { after }
}

/** A response of another realm or of a library is no instance of this realm's class. */
function isChannel(opened: SurfaceChannel | Response): opened is SurfaceChannel {
  return 'subscribe' in opened
}

/** Leaves out ids that say nothing new: nothing can be resumed behind such an item (AB-6). */
function withoutOldIds(items: AsyncIterable<ChannelItem>, after = ''): AsyncIterable<SseItem> {
  const iterator = items[Symbol.asyncIterator]()
  let last = after
  const strip = ({ id, message }: ChannelItem): SseItem => {
    if (id === last) return { message }
    last = id
    return { id, message }
  }
  // No generator: it would not leave the channel while it waits for an item.
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

/** The same iteration, begun already. */
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
    await settings.onClientMessage?.(message, { request, channel })
  }
  return json(request, { accepted: received.messages.length }, { status: 202 })
}

/** The one place that turns errors into answers. */
function refuse(request: Request, error: unknown): Response {
  if (isBodyTooLarge(error)) {
    const message = `A body may have ${error.limit} bytes.`
    return json(request, { error: { code: 'limit_exceeded', message } }, { status: 413 })
  }
  const status = isSurfaceError(error) ? error.status : 500
  return json(request, { error: errorBody(error) }, { status })
}
