import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Exchange } from './exchange.ts'

/** Maximum bytes of an unread body that are drained so that the connection can be reused. */
const DRAINED = 64 * 1024

/** Time for a client that is still sending to read the response before its connection is reset. */
const LINGER_MS = 500

/**
 * Drains a body the handler left unread before the response head is sent; asynchronous only for bodies of
 * unknown length. Bodies that are being read, or may be read while the response streams, are checked again
 * when the response is complete.
 */
export function drainUnread(exchange: Exchange, isStreaming: boolean): Promise<void> | undefined {
  const { message, reply, http2, bodyStreamTaken } = exchange
  if (message.complete) return undefined
  if (http2 !== undefined) {
    http2.once('finish', () => discardRest(exchange))
    return undefined
  }
  const { 'content-length': length, 'transfer-encoding': coding } = message.headers
  if (length === undefined && coding === undefined) return undefined
  // Runs before Node's own finish listener, which would drain without limit.
  reply.prependOnceListener('finish', () => discardRest(exchange))
  if (isRead(message) || (bodyStreamTaken && isStreaming)) return undefined
  drain(exchange)
  return coding === undefined ? undefined : arrived(exchange)
}

/** After the response: drains the unread rest of the body, or closes the connection. */
export function discardRest(exchange: Exchange): void {
  const { message, http2 } = exchange
  if (http2 === undefined && !message.complete) linger(message.socket)
  if (exchange.closeAfterResponse) message.socket.destroySoon()
  else if (isRead(message)) return
  // The client need not send the rest, because the response is complete (RFC 9113, 8.1).
  else if (http2 !== undefined) http2.close()
  else drain(exchange)
}

/**
 * Half-closes the socket with the response and keeps it open briefly: closing it while client bytes are
 * unread resets the connection, and the reset can overtake the response.
 */
function linger(socket: Socket): void {
  let isEnding = false
  socket.destroySoon = () => {
    if (isEnding) return
    isEnding = true
    socket.end()
    void setTimeout(LINGER_MS, undefined, { ref: false }).then(() => socket.destroy())
  }
}

/** True if the message is being read, or was read completely. */
function isRead(message: IncomingMessage): boolean {
  return message.complete || message.listenerCount('data') + message.listenerCount('readable') > 0
}

/** Drains the rest of a body; if it is too large, the connection closes after the response. */
function drain(exchange: Exchange): void {
  const { message, reply } = exchange
  let passed = 0
  const pass = (bytes: number): void => {
    passed += bytes
    if (passed <= DRAINED) return
    exchange.closeAfterResponse = true
    message.pause()
    if (reply.writableFinished) message.socket.destroySoon()
  }
  message.on('data', (chunk: Buffer | string) => pass(chunk.length)).resume()
  const announced = Number(message.headers['content-length'] ?? 0)
  if (announced > DRAINED) pass(announced)
}

/** Waits until the body, or the part that has arrived so far, is drained. */
async function arrived({ message }: Exchange): Promise<void> {
  const { socket } = message
  for (let turn = 0, before = 0; turn < 2 || socket.bytesRead > before; turn++) {
    before = socket.bytesRead
    await setImmediate()
    if (message.complete || message.isPaused()) return
  }
}
