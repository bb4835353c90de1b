import { setImmediate } from 'node:timers/promises'
import { http2Stream, type Exchange } from './abort.ts'

/** Bytes of an unread body that are drained so that the connection can be used again (AD-17). */
const DRAINED = 64 * 1024

/**
 * Decides, before the head of the response leaves, what becomes of a body that the handler left
 * unread, and sets `exchange.closes` when the connection cannot be kept for it. Only a body of
 * unknown length takes a moment to decide on.
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
  const isShort = Number(length) <= DRAINED
  // What is read at this moment, or by the response itself, counts as unread only in the end.
  const isWanted = exchange.reading || (isStreaming && exchange.claimed)
  reply.once('finish', () => {
    if (message.complete || exchange.reading) return
    if (isShort || (coding !== undefined && !isWanted && !exchange.closes)) message.resume()
    else message.socket.destroySoon()
  })
  if (isWanted) return undefined
  if (coding !== undefined) return drainArrived(exchange)
  exchange.closes = !isShort
  return undefined
}

/** Lets pass what has arrived, and what still comes; too much of it ends the connection. */
async function drainArrived(exchange: Exchange): Promise<void> {
  const { message, reply } = exchange
  let size = 0
  message.on('data', (chunk: Buffer | string) => {
    size += chunk.length
    if (size <= DRAINED) return
    exchange.closes = true
    message.pause()
    if (reply.writableFinished) message.socket.destroySoon()
  })
  for (let turn = 0, before = 0; turn < 2 || size > before; turn++) {
    before = size
    await setImmediate()
    if (message.complete || exchange.closes) return
  }
}
