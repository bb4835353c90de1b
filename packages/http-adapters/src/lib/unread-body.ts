import { setImmediate } from 'node:timers/promises'
import { http2Stream, type Exchange } from './abort.ts'

/** Bytes of an unread body that are drained so that the connection can be used again (AD-17). */
const DRAINED = 64 * 1024

/**
 * Decides, before the head of the response leaves, what becomes of a body that the handler left
 * unread, and sets `exchange.closes` when the connection cannot be kept for it. Only a body of
 * unknown length takes a moment to decide on. What is read at this moment, or may be read by the
 * response as it streams, is looked at again when the response is complete.
 */
export function settleUnread(exchange: Exchange, isStreaming: boolean): Promise<void> | undefined {
  const { message, reply } = exchange
  if (message.complete) return undefined
  const stream = http2Stream(message)
  if (stream !== undefined) {
    // The client need not send the rest: the answer is complete (RFC 9113, 8.1).
    stream.once('finish', () => exchange.reading || message.complete || stream.close())
    return undefined
  }
  const { 'content-length': length, 'transfer-encoding': coding } = message.headers
  if (length === undefined && coding === undefined) return undefined
  const isLong = Number(length) > DRAINED
  reply.once('finish', () => {
    if (message.complete || exchange.reading) return
    if (isLong) message.socket.destroySoon()
    else drain(exchange)
  })
  if (exchange.reading || (isStreaming && exchange.claimed)) return undefined
  exchange.closes = isLong
  return isLong || coding === undefined ? undefined : drainArrived(exchange)
}

/** Lets pass what has arrived so far. */
async function drainArrived(exchange: Exchange): Promise<void> {
  drain(exchange)
  for (let turn = 0, before = 0; turn < 2 || exchange.drained > before; turn++) {
    before = exchange.drained
    await setImmediate()
    if (exchange.message.complete || exchange.closes) return
  }
}

/** Lets the rest of a body pass; too much of it ends the connection. */
function drain(exchange: Exchange): void {
  const { message, reply } = exchange
  message.removeAllListeners('data').on('data', (chunk: Buffer | string) => {
    exchange.drained += chunk.length
    if (exchange.drained <= DRAINED) return
    exchange.closes = true
    message.pause()
    if (reply.writableFinished) message.socket.destroySoon()
  })
  if (exchange.closes) message.socket.destroySoon()
  else message.resume()
}
