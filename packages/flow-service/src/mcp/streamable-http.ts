import { isBodyRefused, isBodyTooLarge, isObject, json, readBody, type Runtime } from '@x/wire'
import { jsonProblem } from '@x/wire'
import { isFlowError } from '@x/flow-engine'
import { readAccept, type Accepted } from './accepted.ts'
import { callKey, type Calls } from './calls.ts'
import { check2026, isOf2026, VERSION_2026, VERSION_HEADER } from './era-2026.ts'
import {
  readRpcId,
  parseRpcMessage,
  RpcCode,
  rpcError,
  RpcError,
  rpcResult,
  type RpcId,
  type RpcNotification,
  type RpcRequest,
} from './json-rpc.ts'
import { messageText, type ReadBytes } from './message-text.ts'
import type { Era, McpServer } from './mcp-server.ts'
import { answer2025, answer2026, VERSIONS_2025, type MethodCall } from './methods.ts'
import { createOutbox } from './outbox.ts'

const SESSION_HEADER = 'mcp-session-id'
/** Maximum characters of a label that is stored with a call. */
const MAX_LABEL_LENGTH = 200

export interface StreamableHttpOptions {
  readonly calls: Calls
  readonly runtime: Runtime
  /** Maximum size of a body in bytes. */
  readonly maxBodyBytes: number
  /** How long, in milliseconds, clients may cache lists. */
  readonly listTtlMs: number
  /** Reads the body. Default: as it comes. */
  readonly read?: ReadBytes
  /** Called with unexpected errors. */
  readonly report: (error: unknown) => void
}

/**
 * Handles a Streamable HTTP POST of either era. Requests are independent of each other; the
 * credentials have been checked.
 * @throws the Refusals of `options.read`
 */
export async function answerStreamable(
  request: Request,
  server: McpServer,
  options: StreamableHttpOptions,
): Promise<Response> {
  let body: unknown
  try {
    const accepted = checkHead(request)
    const { maxBodyBytes, read = (most) => readBody(request, most) } = options
    body = await readJson(read, maxBodyBytes)
    return await answerMessage({ request, server, options, accepted, body })
  } catch (error) {
    if (body === undefined && isFlowError(error)) throw error
    return errorAnswer(request, readRpcId(body), foreseen(error, options))
  }
}

interface Incoming {
  readonly request: Request
  readonly server: McpServer
  readonly options: StreamableHttpOptions
  readonly accepted: Accepted
  readonly body: unknown
}

async function answerMessage(incoming: Incoming): Promise<Response> {
  const { request, body } = incoming
  const message = parseRpcMessage(body)
  if (message.kind === 'response') return new Response(null, { status: 202 })
  const era = isOf2026(request.headers, message.params) ? '2026' : '2025'
  if (era === '2025') checkVersion(request.headers)
  if (message.kind === 'notification') {
    cancelCall(incoming, message)
    return new Response(null, { status: 202 })
  }
  if (era === '2026') check2026(request.headers, message)
  const token = progressToken(message)
  const asStream = choose(era, incoming.accepted, token !== undefined)
  if (asStream) return streamAnswer(incoming, { message, era, token })
  const result = await answer(incoming, message, era)
  const headers =
    message.method === 'initialize' && era === '2025'
      ? { [SESSION_HEADER]: incoming.options.runtime.uuid() }
      : {}
  return json(request, rpcResult(message.id, result), { headers })
}

function answer(
  { request, server, options }: Incoming,
  message: RpcRequest,
  era: Era,
  more: Pick<MethodCall, 'progress'> & { signal?: AbortSignal } = {},
): Promise<object> {
  const { calls, listTtlMs } = options
  const label = era === '2025' ? labelOf(request.headers) : null
  const call: MethodCall = {
    request: message,
    server,
    calls,
    listTtlMs,
    signal: request.signal,
    ...more,
    ...(label === null ? {} : { callKey: callKey(server.scope, label, message.id) }),
  }
  return era === '2025' ? answer2025(call) : answer2026(call)
}

/** Responds with an event stream: progress as it arrives, the result last. */
function streamAnswer(
  incoming: Incoming,
  { message, era, token }: { message: RpcRequest; era: Era; token: RpcId | undefined },
): Response {
  const { request, options } = incoming
  const left = new AbortController()
  const leave = (): void => left.abort()
  const outbox = createOutbox({ runtime: options.runtime, left: leave })
  if (request.signal.aborted) leave()
  else request.signal.addEventListener('abort', leave, { once: true })
  const progress: MethodCall['progress'] =
    token === undefined
      ? undefined
      : (now) =>
          outbox.send({
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken: token, ...now },
          })
  answer(incoming, message, era, { progress, signal: left.signal })
    .then(
      (result) => outbox.send(rpcResult(message.id, result)),
      (error: unknown) => outbox.send(rpcError(message.id, foreseen(error, options))),
    )
    .finally(() => {
      request.signal.removeEventListener('abort', leave)
      outbox.end()
    })
    .catch(options.report)
  return outbox.response
}

/** True if the response is an event stream. @throws RpcError 406 */
function choose(era: Era, { json: takesJson, stream }: Accepted, wantsProgress: boolean): boolean {
  if (era === '2026') {
    if (wantsProgress ? stream : takesJson) return wantsProgress
    const wanted = wantsProgress ? 'text/event-stream' : 'application/json'
    throw refused(406, `Not Acceptable: the answer is ${wanted}`)
  }
  return stream && (wantsProgress || !takesJson)
}

/** Only tool calls report progress. */
function progressToken({ method, params }: RpcRequest): RpcId | undefined {
  const meta: unknown = params?.['_meta']
  const token: unknown = method === 'tools/call' && isObject(meta) ? meta['progressToken'] : null
  return typeof token === 'string' || Number.isInteger(token) ? (token as RpcId) : undefined
}

/** A notification without a label identifies no call. */
function cancelCall({ request, server, options }: Incoming, message: RpcNotification): void {
  const label = labelOf(request.headers)
  const id: unknown = message.params['requestId']
  if (message.method !== 'notifications/cancelled' || label === null) return
  if (typeof id === 'string' || typeof id === 'number')
    options.calls.cancel(callKey(server.scope, label, id))
}

function labelOf(headers: Headers): string | null {
  const label = headers.get(SESSION_HEADER)
  return label === null || label === '' || label.length > MAX_LABEL_LENGTH ? null : label
}

/** @throws RpcError 406, 415 */
function checkHead({ headers }: Request): Accepted {
  const type = headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json')
    throw refused(415, 'Unsupported Media Type: Content-Type must be application/json')
  const accepted = readAccept(headers.get('accept'))
  if (accepted.json || accepted.stream) return accepted
  throw refused(406, 'Not Acceptable: accept application/json or text/event-stream')
}

/** @throws RpcError 400, 413 */
async function readJson(read: ReadBytes, limit: number): Promise<unknown> {
  let text: string
  try {
    text = await messageText(read, limit)
  } catch (error) {
    if (isBodyTooLarge(error)) throw refused(413, `The body is larger than ${limit} bytes`)
    if (isBodyRefused(error)) throw refused(error.status, error.message)
    if (error instanceof TypeError) throw parseError('the body is not valid UTF-8')
    throw error
  }
  try {
    const problem = jsonProblem(text)
    if (problem !== null) throw parseError(problem)
    return JSON.parse(text)
  } catch (error) {
    throw error instanceof RpcError ? error : parseError('malformed JSON')
  }
}

/** @throws RpcError 400 */
function checkVersion(headers: Headers): void {
  const version = headers.get(VERSION_HEADER)
  if (version === null || VERSIONS_2025.some((known) => known === version)) return
  const known = [...VERSIONS_2025, VERSION_2026].join(', ')
  throw refused(
    400,
    `Bad Request: Unsupported protocol version: ${version.slice(0, 100)} (supported versions: ${known})`,
  )
}

function foreseen(error: unknown, { report }: StreamableHttpOptions): RpcError {
  if (error instanceof RpcError) return error
  report(error)
  return new RpcError(RpcCode.internal, 'Internal error')
}

function errorAnswer(request: Request, id: RpcId | null, error: RpcError): Response {
  const headers = error.status === 413 ? { connection: 'close' } : {}
  return json(request, rpcError(id, error), { status: error.status, headers })
}

function refused(status: number, message: string): RpcError {
  return new RpcError(RpcCode.refused, message, { status })
}

function parseError(what: string): RpcError {
  return new RpcError(RpcCode.parseError, `Parse error: ${what}`, { status: 400 })
}
