import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { ObservedRequest, RequestHooks } from '@x/flow-engine'
import type { Settings } from '../settings/read-settings.ts'
import { isLogged, type Log } from './log.ts'

/** Facts that became known about a request while it was answered. */
export interface RequestRecord {
  readonly requestId: string
  /** Pattern of the path; null where no operation was found. */
  route: string | null
  userId?: string
  tenant?: string
}

/** One line for each request, with what the handlers found out about it. */
export interface RequestLog {
  /** Logs the requests of a listener. */
  wrap(listener: RequestListener): RequestListener
  /** The record of a request that `wrap` has seen. */
  recordOf(message: IncomingMessage): RequestRecord
  /** Connects a record with the context that handlers are given. */
  remember(context: object, record: RequestRecord): void
  /** Fill in the records. */
  readonly hooks: RequestHooks
}

/**
 * Logs each request at info when its answer is complete or its client has left (OP-9). Paths and queries are
 * left out, as ids and keys may stand in them; at debug the path is written too.
 */
export function createRequestLog(log: Log, settings: Pick<Settings, 'LOG_LEVEL'>): RequestLog {
  const byMessage = new WeakMap<IncomingMessage, RequestRecord>()
  const byContext = new WeakMap<object, RequestRecord>()

  const recordOf = (message: IncomingMessage): RequestRecord => {
    const known = byMessage.get(message)
    if (known !== undefined) return known
    const record = { requestId: requestIdOf(message), route: null }
    byMessage.set(message, record)
    return record
  }
  return {
    recordOf,
    remember: (context, record) => void byContext.set(context, record),
    hooks: {
      onRequestEnd({ context, route, userId, tenant }: ObservedRequest) {
        const record = byContext.get(context as object)
        if (record === undefined) return
        record.route = route
        if (userId !== undefined) record.userId = userId
        if (tenant !== undefined) record.tenant = tenant
      },
    },
    wrap(listener) {
      if (!isLogged(settings, 'info')) return listener
      return (message, reply) => {
        const start = performance.now()
        const { socket } = message
        const before = socket.bytesWritten
        reply.once('close', () => {
          const { requestId, route, userId, tenant } = recordOf(message)
          log('info', 'request', {
            requestId,
            method: message.method,
            route,
            status: reply.statusCode,
            ms: Math.round((performance.now() - start) * 10) / 10,
            bytes: socket.bytesWritten - before,
            userId,
            tenant,
            ...(reply.writableFinished ? {} : { aborted: true }),
            ...(isLogged(settings, 'debug') ? { path: message.url?.split('?', 1)[0] } : {}),
          })
        })
        listener(message, reply)
      }
    },
  }
}

/** A page with the id of its request; the handlers send it themselves. */
export function identified(response: Response, requestId: string): Response {
  const headers = new Headers(response.headers)
  headers.set('x-request-id', requestId)
  const { status, statusText, body } = response
  return new Response(body, { status, statusText, headers })
}

const GIVEN = /^[!-~](?:[ -~]{0,126}[!-~])?$/

/** That of the client when it is printable and short, else a new one (OP-10). */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && GIVEN.test(given) ? given : randomUUID()
}
