import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'

/** One request under way on a socket. */
export interface Exchange {
  readonly message: IncomingMessage
  readonly reply: ServerResponse
  /** Whether somebody reads the body of the request at this moment. */
  reading: boolean
  /** Whether the body was given out as a stream, which the response may depend on. */
  claimed: boolean
  /** Whether the connection ends with this response, because too much of the body is unread. */
  closes: boolean
  /** Bytes of an unread body that were let pass. */
  drained: number
}

/** Whether the client has left before the response was complete (AD-18). */
export function isGone(exchange: Exchange): boolean {
  const { message, reply } = exchange
  return (reply.destroyed || message.socket.destroyed) && !isComplete(exchange)
}

/** Whether all of the response is out. HTTP/2 ends the writable side of an aborted stream too. */
export function isComplete({ message, reply }: Exchange): boolean {
  return reply.writableFinished && http2Stream(message)?.aborted !== true
}

/** A signal that aborts when the client leaves before the response is complete (AD-18). */
export function abortSignal(exchange: Exchange): AbortSignal {
  const controller = new AbortController()
  if (isGone(exchange)) controller.abort()
  else {
    const stop = onClose(exchange, () => {
      stop()
      if (!isComplete(exchange)) controller.abort()
    })
  }
  return controller.signal
}

/** Listeners of responses that wait behind others, by the socket whose end they do not hear of. */
const waiting = new WeakMap<object, Set<() => void>>()

/**
 * Calls back when the response is over or its connection is, which a response that waits behind the
 * one before it on the same connection does not tell by itself. Gives the way to stop it.
 */
export function onClose({ message, reply }: Exchange, listener: () => void): () => void {
  reply.on('close', listener)
  const listeners = reply.socket === null ? listenersOf(message.socket) : undefined
  listeners?.add(listener)
  return () => {
    reply.off('close', listener)
    listeners?.delete(listener)
  }
}

function listenersOf(socket: IncomingMessage['socket']): Set<() => void> {
  const known = waiting.get(socket)
  if (known !== undefined) return known
  const listeners = new Set<() => void>()
  waiting.set(socket, listeners)
  socket.once('close', () => {
    for (const listener of listeners) listener()
  })
  return listeners
}

/** Ends the connection (HTTP/2: the stream) in a way that no client takes for a complete response. */
export function breakOff({ message, reply }: Exchange): void {
  const stream = http2Stream(message)
  if (stream === undefined) reply.destroy()
  // INTERNAL_ERROR of RFC 9113, section 7.
  else stream.close(2)
}

/** The stream of a request in HTTP/2 compatibility mode. */
export function http2Stream(message: IncomingMessage): ServerHttp2Stream | undefined {
  return message.httpVersionMajor > 1
    ? (message as unknown as { stream: ServerHttp2Stream }).stream
    : undefined
}
