import type { Exchange } from './exchange.ts'

/** A signal that aborts when the client leaves before the response is complete (AD-18). */
export function abortSignal(exchange: Exchange): AbortSignal {
  const controller = new AbortController()
  if (exchange.isGone()) controller.abort()
  else onLeave(exchange, () => controller.abort())
  return controller.signal
}

/** Calls back when the client leaves before the response is complete; gives the way to stop it. */
export function onLeave(exchange: Exchange, listener: () => void): () => void {
  const { message, reply } = exchange
  const stop = (): void => {
    reply.off('close', onClose)
    message.socket.off('close', onClose)
  }
  const onClose = (): void => {
    stop()
    if (!exchange.isComplete()) listener()
  }
  reply.on('close', onClose)
  // A response that waits behind others on its connection does not hear of its end. Many may wait.
  if (reply.socket === null) message.socket.setMaxListeners(0).on('close', onClose)
  return stop
}
