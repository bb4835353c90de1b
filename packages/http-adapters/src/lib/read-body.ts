import { Readable } from 'node:stream'
import { http2Stream, type Exchange } from './abort.ts'
import { BodyError } from './body-error.ts'
import { parsedBody, type ParsedBody } from './parsed-body.ts'

/** The body of a request: on its stream, or read before by the host and kept in `parsed`. */
export interface BodySource {
  readonly exchange: Exchange
  readonly parsed: ParsedBody
  /** The most bytes that are read. */
  readonly limit: number
}

interface Sink {
  chunk(bytes: Uint8Array): void
  end(): void
  fail(error: unknown): void
}

/** Whether the request has a body at all, as `Request.body` sees it: GET and HEAD never do. */
export function hasBody({ message }: Exchange): boolean {
  const { method, headers } = message
  if (method === 'GET' || method === 'HEAD') return false
  const stream = http2Stream(message)
  if (stream !== undefined) return !stream.endAfterHeaders
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** Reads the whole body and hands it over in one piece. */
export function collect(
  source: BodySource,
  done: (bytes: Uint8Array) => void,
  fail: (error: unknown) => void,
): void {
  const chunks: Uint8Array[] = []
  feed(source, {
    chunk: (bytes) => chunks.push(bytes),
    end: () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
    fail,
  })
}

/** The body as a stream that takes a chunk from the socket when its reader asks for one. */
export function pulled(source: BodySource): ReadableStream<Uint8Array> {
  let stop: (() => void) | undefined
  let settle: (() => void) | undefined
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (stop !== undefined) return void streamOf(source).resume()
    stop = feed(source, {
      chunk({ buffer, byteOffset, length }) {
        streamOf(source).pause()
        controller.enqueue(new Uint8Array(buffer as ArrayBuffer, byteOffset, length))
        settle?.()
      },
      end() {
        controller.close()
        settle?.()
      },
      fail(error) {
        controller.error(error)
        settle?.()
      },
    })
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        new Promise((resolve) => {
          settle = resolve
          pull(controller)
        }),
      cancel: () => stop?.(),
    },
    { highWaterMark: 0 },
  )
}

/** Feeds the sink until the body ends, passes its limit or breaks off; gives the way to stop it. */
function feed(source: BodySource, sink: Sink): () => void {
  const { exchange, limit } = source
  const { message } = exchange
  const stream = streamOf(source)
  let size = 0
  let over = false
  const stop = (): void => {
    over = true
    exchange.reading = false
    stream.off('data', onData).off('end', onEnd).off('error', onFail).off('close', onFail).pause()
  }
  const onData = (chunk: Buffer | string): void => {
    const bytes =
      typeof chunk === 'string' ? Buffer.from(chunk, stream.readableEncoding ?? 'utf8') : chunk
    size += bytes.length
    if (size <= limit) return sink.chunk(bytes)
    stop()
    sink.fail(new BodyError('body_too_large', limit))
  }
  const onEnd = (): void => {
    // The listeners go with the message: nothing is emitted any more but that it is closed.
    over = true
    exchange.reading = false
    const http2 = http2Stream(message)
    if (http2 === undefined) return sink.end()
    // HTTP/2 ends the stream of an aborted upload like that of a complete one, and tells later.
    setImmediate(() => {
      if (message.aborted || http2.rstCode) sink.fail(new BodyError('client_gone'))
      else sink.end()
    })
  }
  const onFail = (error?: unknown): void => {
    if (over) return
    stop()
    sink.fail(stream === message || error === undefined ? new BodyError('client_gone') : error)
  }

  if (stream.readableDidRead || stream.readableEnded) giveKept(source, sink)
  else if (Number(message.headers['content-length'] ?? 0) > limit) {
    sink.fail(new BodyError('body_too_large', limit))
  } else if (stream.destroyed) sink.fail(new BodyError('client_gone'))
  else {
    exchange.reading = true
    stream.on('data', onData).on('end', onEnd).on('error', onFail).on('close', onFail)
  }
  return stop
}

/** Gives the body that the host has read before (AD-15). */
function giveKept({ exchange, parsed, limit }: BodySource, sink: Sink): void {
  try {
    const isEmpty = !exchange.message.readableDidRead && parsed.body === undefined
    const type = exchange.message.headers['content-type'] ?? ''
    const bytes = isEmpty ? new Uint8Array() : parsedBody(parsed, type)
    if (bytes.length > limit) throw new BodyError('body_too_large', limit)
    sink.chunk(bytes)
    sink.end()
  } catch (error) {
    sink.fail(error)
  }
}

/** The stream the body comes from: that of the message, or one that the host has put over it. */
function streamOf({ exchange, parsed }: BodySource): Readable {
  return parsed.body instanceof Readable ? parsed.body : exchange.message
}
