import type { RequestListener } from 'node:http'
import type { Log } from './log.ts'

/**
 * Logs each request at debug when its answer is complete or its client has left. The query is left
 * out: API keys may stand in it.
 */
export function withRequestLog(listener: RequestListener, log: Log): RequestListener {
  return (message, reply) => {
    const start = performance.now()
    reply.once('close', () => {
      log('debug', 'request', {
        method: message.method,
        path: message.url?.split('?', 1)[0],
        status: reply.statusCode,
        complete: reply.writableFinished,
        ms: Math.round(performance.now() - start),
      })
    })
    listener(message, reply)
  }
}
