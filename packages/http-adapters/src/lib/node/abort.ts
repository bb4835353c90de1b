import type { Socket } from 'node:net'
import type { Exchange } from './exchange.ts'

/** A signal that is aborted when the client disconnects before the response is complete. */
export function abortSignal(exchange: Exchange): AbortSignal {
  const controller = new AbortController()
  if (exchange.isGone()) controller.abort()
  else onLeave(exchange, () => controller.abort())
  return controller.signal
}

/**
 * Calls `listener` when the client disconnects before the response is complete; returns a function that
 * stops listening.
 */
export function onLeave(exchange: Exchange, listener: () => void): () => void {
  const { message, reply } = exchange
  const onClose = (): void => {
    stop()
    if (!exchange.isComplete()) listener()
  }
  // A pipelined response that waits for earlier ones gets no event when the connection closes.
  const forget = reply.socket === null ? onSocketClose(message.socket, onClose) : () => undefined
  const stop = (): void => {
    reply.off('close', onClose)
    forget()
  }
  reply.on('close', onClose)
  return stop
}

/** The waiting responses of a connection share one listener on it. */
interface Waiting {
  readonly listeners: Set<() => void>
  readonly onClose: () => void
}

const waitingOn = new WeakMap<Socket, Waiting>()

function onSocketClose(socket: Socket, listener: () => void): () => void {
  const waiting = waitingOn.get(socket) ?? startWaiting(socket)
  const { listeners, onClose } = waiting
  listeners.add(listener)
  return () => {
    if (!listeners.delete(listener) || listeners.size > 0) return
    waitingOn.delete(socket)
    socket.off('close', onClose)
  }
}

function startWaiting(socket: Socket): Waiting {
  const listeners = new Set<() => void>()
  const onClose = (): void => {
    for (const listener of listeners) listener()
  }
  const waiting = { listeners, onClose }
  waitingOn.set(socket, waiting)
  socket.on('close', onClose)
  return waiting
}
