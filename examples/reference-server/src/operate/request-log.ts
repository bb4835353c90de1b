import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { ObservedRequest, RequestHooks } from '@x/flow-service'
import type { Settings } from '../settings/read-settings.ts'
import { isLogged, type Log } from './log.ts'

/** Facts about a request collected while it is handled. */
export interface RequestRecord {
  readonly requestId: string
  /** Pattern of the path; null if no operation was found. */
  route: string | null
  userId: string | undefined
  tenant: string | undefined
}

/** Stored on messages and contexts, because a table of them would cost more than the rest of their line. */
const RECORD = Symbol('request record')

type Recorded<T> = T & { [RECORD]?: RequestRecord }

/** Writes one line per request, with facts added by the handlers. */
export interface RequestLog {
  /** Logs the requests of a listener. */
  wrap(listener: RequestListener): RequestListener
  /** The record of a request passed through `wrap`. */
  recordOf(message: IncomingMessage): RequestRecord
  /** Associates a record with the context passed to handlers. */
  remember(context: object, record: RequestRecord): void
  /** Hooks that fill in the records. */
  readonly hooks: RequestHooks
}

/**
 * Logs each request at level info when its response is complete or its client has disconnected (OP-9).
 * Paths and queries are omitted, because they may contain ids and keys; at level debug the path is
 * included.
 */
export function createRequestLog(log: Log, settings: Pick<Settings, 'LOG_LEVEL'>): RequestLog {
  const isWritten = isLogged(settings, 'info')
  const hasPath = isLogged(settings, 'debug')
  const recordOf = (message: Recorded<IncomingMessage>): RequestRecord =>
    (message[RECORD] ??= {
      requestId: requestIdOf(message),
      route: null,
      userId: undefined,
      tenant: undefined,
    })
  return {
    recordOf,
    remember(context: Recorded<object>, record) {
      context[RECORD] = record
    },
    hooks: {
      onRequestEnd({ context, route, userId, tenant }: ObservedRequest) {
        const record = (context as Recorded<object> | undefined)?.[RECORD]
        if (record === undefined) return
        record.route = route
        if (userId !== undefined) record.userId = userId
        if (tenant !== undefined) record.tenant = tenant
      },
    },
    wrap(listener) {
      if (!isWritten) return listener
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
            aborted: reply.writableFinished ? undefined : true,
            path: hasPath ? message.url?.split('?', 1)[0] : undefined,
          })
        })
        listener(message, reply)
      }
    },
  }
}

/** Adds the request id to a page; the API handlers do this themselves. */
export function identified(response: Response, requestId: string): Response {
  const headers = new Headers(response.headers)
  headers.set('x-request-id', requestId)
  const { status, statusText, body } = response
  return new Response(body, { status, statusText, headers })
}

const GIVEN = /^[!-~](?:[ -~]{0,126}[!-~])?$/

/** The client's id if it is printable and short, else a new one (OP-10). */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && GIVEN.test(given) ? given : randomUUID()
}
