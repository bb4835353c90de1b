import { Readable } from 'node:stream'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { BodyError } from '../body-error.ts'
import { ByteCollector } from './byte-collector.ts'
import type { Exchange } from './exchange.ts'
import { parsedBody } from './parsed-body.ts'
import { discardRest } from './unread-body.ts'

/** Below this size, retaining a chunk costs several times its size. */
const SMALL = 512
/** This many small chunks are passed on as they arrive; further ones at one per turn of the event loop. */
const FEW = 8
const MANY = 4096
const JOIN_MS = 10

/** True if the request has a body in the sense of `Request.body`; GET and HEAD never do. */
export function hasBody({ message, http2 }: Exchange): boolean {
  const { method, headers } = message
  if (method === 'GET' || method === 'HEAD') return false
  if (http2 !== undefined) return !http2.endAfterHeaders
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** Reads the whole body and converts it, with a single promise in the common case. */
export function collect<T>(exchange: Exchange, convert: (bytes: Uint8Array) => T): Promise<T> {
  const { message, limit } = exchange
  const isPlain =
    Number(message.headers['content-length']) <= limit &&
    message.httpVersionMajor === 1 &&
    message.readableEncoding === null &&
    !message.readableDidRead &&
    !message.readableEnded &&
    !message.destroyed &&
    streamOf(exchange) === message
  if (!isPlain) return collectChunks(exchange).then(convert)
  return new Promise((resolve, reject) => {
    const collected = new ByteCollector()
    const end = (): void => {
      let value: T
      try {
        value = convert(collected.bytes())
      } catch (error) {
        return reject(error)
      }
      resolve(value)
    }
    const leave = (): void => {
      if (!message.readableEnded) reject(new BodyError('client_gone'))
    }
    message
      .on('data', (part: Buffer) => collected.push(part))
      .on('end', end)
      .on('error', leave)
      .on('close', leave)
  })
}

async function collectChunks(exchange: Exchange): Promise<Uint8Array> {
  const collected = new ByteCollector()
  for await (const chunk of chunks(exchange)) collected.push(chunk)
  return collected.bytes()
}

/** The chunks of a body, read from the socket on demand. */
export async function* chunks(exchange: Exchange): AsyncGenerator<Uint8Array> {
  const { message, reply, limit } = exchange
  const stream = streamOf(exchange)
  if (stream.readableDidRead || stream.readableEnded) return yield parsedBody(exchange)
  const tooLarge = new BodyError('body_too_large', limit)
  if (Number(message.headers['content-length']) > limit) throw tooLarge
  const encoding = stream.readableEncoding ?? 'utf8'
  let size = 0
  let small = 0
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      const bytes: Buffer = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk
      size += bytes.length
      if (size > limit) throw tooLarge
      yield new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
      // Meanwhile the stream joins arriving chunks (AB-13).
      if (bytes.length < SMALL && ++small > FEW) await pause(small)
    }
    // HTTP/2 ends the stream of an aborted upload normally and reports the abort later.
    await setImmediate()
    if (message.aborted || exchange.http2?.rstCode) throw new BodyError('client_gone')
  } catch (error) {
    throw message.aborted ? new BodyError('client_gone') : error
  } finally {
    // If the reader stops after the response, the rest must not be drained without limit.
    if (reply.writableFinished) discardRest(exchange)
  }
}

async function pause(small: number): Promise<void> {
  if (small > MANY) await setTimeout(JOIN_MS)
  else await setImmediate()
}

/** The stream of the body: the message, or a stream the host has put in its place. */
function streamOf({ parsed, message }: Exchange): Readable {
  return parsed.body instanceof Readable ? parsed.body : message
}
