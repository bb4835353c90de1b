import { formatSseFrame, isBodyRefused, isBodyTooLarge, isObject, type Runtime } from '@x/wire'
import { jsonProblem } from '@x/wire'
import { isFlowError } from '@x/flow-engine'
import { callKey, type Calls } from './calls.ts'
import {
  invalidParams,
  parseRpcMessage,
  RpcCode,
  rpcError,
  RpcError,
  rpcResult,
  type RpcMessage,
  type RpcRequest,
} from './json-rpc.ts'
import type { McpServer } from './mcp-server.ts'
import { messageText, type ReadBytes } from './message-text.ts'
import { answer2025 } from './methods.ts'
import { createOutbox, type Outbox } from './outbox.ts'

/** Maximum number of open streams of the process. */
const MAX_SESSIONS = 1000
/** Milliseconds without a message from the client or a response to one, after which a stream is closed. */
const MAX_IDLE_MS = 30 * 60_000

export interface SseSessionsOptions {
  readonly calls: Calls
  readonly runtime: Runtime
  readonly maxBodyBytes: number
  /** Maximum number of open streams per user. */
  readonly maxSessions: number
  readonly report: (error: unknown) => void
  readonly opened?: (server: McpServer, id: string) => void
  readonly closed?: (server: McpServer, id: string) => void
}

/** The HTTP+SSE transport of 2024-11-05. */
export interface SseSessions {
  /** Opens a stream whose first event names the endpoint for messages; null if too many are open. */
  open(server: McpServer, endpointOf: (id: string) => string): Response | null
  /**
   * Accepts a message for an open stream; returns status and body text of the response.
   * @throws the Refusals of `read`
   */
  post(read: ReadBytes, server: McpServer, id: string | null): Promise<readonly [number, string]>
  /** Closes all streams of a user. */
  closeUser(userId: string): void
  close(): void
}

interface Session {
  readonly id: string
  readonly server: McpServer
  readonly outbox: Outbox
  readonly left: AbortController
  isInitialized: boolean
  /** Number of responses in progress. */
  busy: number
  lastUsedAt: number
}

export function createSseSessions(options: SseSessionsOptions): SseSessions {
  const { runtime, maxSessions } = options
  const sessions = new Map<string, Session>()
  const ofUser = (userId: string): Session[] =>
    [...sessions.values()].filter((session) => session.server.userId === userId)
  const close = (session: Session): void => {
    if (!sessions.delete(session.id)) return
    session.left.abort()
    session.outbox.end()
    options.closed?.(session.server, session.id)
  }
  const closeIdle = async (session: Session): Promise<void> => {
    for (;;) {
      const idle = runtime.now().getTime() - session.lastUsedAt
      if (idle >= MAX_IDLE_MS && session.busy === 0) break
      await runtime.sleep(Math.max(MAX_IDLE_MS - idle, 1000), session.left.signal)
    }
    close(session)
  }

  return {
    open(server, endpointOf) {
      if (sessions.size >= MAX_SESSIONS || ofUser(server.userId).length >= maxSessions) return null
      const id = runtime.uuid().replaceAll('-', '')
      const session: Session = {
        id,
        server,
        outbox: createOutbox({ runtime, left: () => close(session) }),
        left: new AbortController(),
        isInitialized: false,
        busy: 0,
        lastUsedAt: runtime.now().getTime(),
      }
      sessions.set(id, session)
      session.outbox.push(formatSseFrame({ event: 'endpoint', data: endpointOf(id) }))
      closeIdle(session).catch(() => undefined)
      options.opened?.(server, id)
      return session.outbox.response
    },
    async post(read, server, id) {
      if (id === null || id === '') return [400, 'session_id is required']
      if (!/^[0-9a-f]{32}$/.test(id)) return [400, 'Invalid session ID']
      const session = sessions.get(id)
      if (session?.server.scope !== server.scope) return [404, 'Could not find session']
      session.lastUsedAt = runtime.now().getTime()
      const message = await readPosted(read, options.maxBodyBytes)
      if (typeof message === 'number')
        return [message, message === 413 ? 'Message too large' : 'Could not parse message']
      take(options, { session, server, message })
      return [202, 'Accepted']
    },
    closeUser: (userId) => ofUser(userId).forEach(close),
    close: () => [...sessions.values()].forEach(close),
  }
}

interface AcceptedMessage {
  readonly session: Session
  /** The server for this message: its variables come from the message's own headers. */
  readonly server: McpServer
  readonly message: RpcMessage
}

function take(options: SseSessionsOptions, { session, server, message }: AcceptedMessage): void {
  const { outbox } = session
  if (message.kind === 'notification') {
    const id: unknown = message.params['requestId']
    if (message.method === 'notifications/cancelled' && isId(id))
      options.calls.cancel(callKey(server.scope, session.id, id))
    return
  }
  if (message.kind === 'response') return
  session.busy += 1
  answer(options, { session, server, message })
    .then(
      (result) => outbox.send(rpcResult(message.id, result)),
      (error: unknown) => outbox.send(rpcError(message.id, foreseen(error, options))),
    )
    .finally(() => {
      session.busy -= 1
      session.lastUsedAt = options.runtime.now().getTime()
    })
    .catch(options.report)
}

async function answer(
  { calls }: SseSessionsOptions,
  { session, server, message }: AcceptedMessage & { message: RpcRequest },
): Promise<object> {
  const { method, params, id } = message
  if (method === 'initialize') session.isInitialized = true
  else if (!session.isInitialized && method !== 'ping')
    throw invalidParams('Received request before initialization was complete')
  const meta: unknown = params?.['_meta']
  const token: unknown = isObject(meta) && method === 'tools/call' ? meta['progressToken'] : null
  return await answer2025({
    request: message,
    server,
    calls,
    callKey: callKey(server.scope, session.id, id),
    signal: session.left.signal,
    listTtlMs: 0,
    progress: isId(token)
      ? (now) =>
          session.outbox.send({
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken: token, ...now },
          })
      : undefined,
  })
}

/** Parses the message of a body; 400 or 413 if there is none. */
async function readPosted(read: ReadBytes, limit: number): Promise<RpcMessage | 400 | 413> {
  try {
    const text = await messageText(read, limit)
    return jsonProblem(text) === null ? parseRpcMessage(JSON.parse(text)) : 400
  } catch (error) {
    if (isFlowError(error) || isBodyRefused(error)) throw error
    return isBodyTooLarge(error) ? 413 : 400
  }
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isInteger(value)
}

function foreseen(error: unknown, { report }: SseSessionsOptions): RpcError {
  if (error instanceof RpcError) return error
  report(error)
  return new RpcError(RpcCode.internal, 'Internal error')
}
