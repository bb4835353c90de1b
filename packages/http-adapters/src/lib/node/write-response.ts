import {
  ServerResponse,
  validateHeaderName,
  validateHeaderValue,
  type OutgoingHttpHeader,
} from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { responseParts, textSlices, type ResponseParts } from '@x/wire'
import { onLeave } from './abort.ts'
import type { Exchange } from './exchange.ts'
import { joinedVary } from '../joined-vary.ts'
import { drainUnread } from './unread-body.ts'

/** Status and headers of a response. */
interface Head extends Omit<ResponseParts, 'body'> {
  readonly statusText?: string
}

/** Sends a response, in one write if its body is available, else as a stream. */
export function writeResponse(exchange: Exchange, response: Response): Promise<void> | undefined {
  const parts = responseParts(response)
  if (parts === undefined) return writeGenuine(exchange, response)
  const { body } = parts
  const settled = drainUnread(exchange, false)
  if (typeof body === 'string' && body.length > SLICE)
    return writeText(exchange, parts, body, settled)
  if (settled !== undefined) return settled.then(() => writeWhole(exchange, parts, body))
  writeWhole(exchange, parts, body)
}

/** Characters encoded in one turn of the event loop, so that a long response does not delay others. */
const SLICE = 512 * 1024

/** Sends a long text in slices; each is encoded once the socket has accepted the previous one. */
async function writeText(
  exchange: Exchange,
  head: Head,
  text: string,
  settled: Promise<void> | undefined,
): Promise<void> {
  await settled
  if (hasNoBody(exchange, head.status)) return writeWhole(exchange, head, text)
  if (exchange.isGone()) return
  const { reply } = exchange
  writeHead(exchange, head, Buffer.byteLength(text))
  for (const part of textSlices(text, SLICE)) {
    if (!reply.write(Buffer.from(part))) await drained(exchange)
    await setImmediate()
    if (exchange.isGone()) return
  }
  reply.end()
}

/** Resolves when the socket has drained or the client has disconnected. */
async function drained(exchange: Exchange): Promise<void> {
  const { reply } = exchange
  await new Promise<void>((resolve) => {
    const stop = onLeave(exchange, () => settle())
    const settle = (): void => {
      stop()
      reply.off('drain', settle).off('error', settle)
      resolve()
    }
    reply.on('drain', settle).on('error', settle)
  })
}

async function writeGenuine(exchange: Exchange, response: Response): Promise<void> {
  const { status, statusText, bodyUsed } = response
  const body = response.body as ReadableStream<Uint8Array> | null
  const head = { status, statusText, headers: [...response.headers] }
  if (bodyUsed) throw new TypeError('The response body was already consumed')
  if (body !== null && !hasNoBody(exchange, status)) return stream(exchange, head, body.getReader())
  await drainUnread(exchange, false)
  writeWhole(exchange, head, null)
  await body?.cancel().catch(() => undefined)
}

function writeWhole(exchange: Exchange, head: Head, body: ResponseParts['body']): void {
  if (exchange.isGone()) return
  const isBodiless = hasNoBody(exchange, head.status)
  // Without an available body, HEAD and 304 announce the handler's length.
  const none = isBodiless ? undefined : 0
  const length = typeof body === 'string' ? Buffer.byteLength(body) : (body?.length ?? none)
  writeHead(exchange, head, length)
  exchange.reply.end(isBodiless ? undefined : body)
}

/** Sends chunk by chunk; waits for the socket to accept each one. */
async function stream(
  exchange: Exchange,
  head: Head,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<void> {
  const { reply } = exchange
  let gone = false
  let wake = (): void => undefined
  const onDrain = (): void => wake()
  const leave = (): void => {
    gone = true
    reader.cancel().catch(() => undefined)
    wake()
  }
  const stop = onLeave(exchange, leave)
  reply.on('drain', onDrain).on('error', leave)
  try {
    const first = reader.read()
    const start = await ready(first)
    const second = start?.done === false ? reader.read() : undefined
    const end = second === undefined ? start : await ready(second)
    const isWhole = end?.done === true
    await drainUnread(exchange, !isWhole)
    if (isWhole) return writeWhole(exchange, head, start?.value ?? null)
    if (gone) return

    writeHead(exchange, head)
    reply.strictContentLength = true
    reply.flushHeaders()
    const isEvents = head.headers.some(
      ([name, value]) => name === 'content-type' && value.startsWith('text/event-stream'),
    )
    const { flush } = reply as { flush?: () => void }
    const ahead = [first, second]
    for (;;) {
      const { done, value } = await (ahead.shift() ?? reader.read())
      if (gone) return
      if (done) break
      const isTaken = reply.write(value)
      if (isEvents) flush?.call(reply)
      if (!isTaken) await new Promise<void>((resolve) => (wake = resolve))
    }
    reply.end()
  } catch (error) {
    reader.cancel(error).catch(() => undefined)
    throw error
  } finally {
    reply.off('drain', onDrain).off('error', leave)
    stop()
  }
}

/** The result of a read that settles within this turn of the event loop. */
async function ready<T>(read: Promise<T>): Promise<T | undefined> {
  return Promise.race([read, setImmediate(undefined)])
}

const TRANSFER = /^transfer-encoding$/i
/** The lengths of the names below, since most headers have none of them. */
const FRAMING_LENGTHS = ['content-length'.length, 'transfer-encoding'.length]
const COOKIE = /^set-cookie$/i
const VARY = /^vary$/i
const FRAMING = /^(?:transfer-encoding|content-length)$/i
const CONNECTION = /^(?:connection|keep-alive|proxy-connection|upgrade)$/i

// eslint-disable-next-line typescript/unbound-method -- compared, never called
const nodeWriteHead = ServerResponse.prototype.writeHead

/**
 * Writes status and headers, overriding those set by the host; throws before anything is changed
 * if it fails.
 * @param length bytes of the body, if known
 */
function writeHead(
  { reply, http2, closeAfterResponse }: Exchange,
  head: Head,
  length?: number,
): void {
  const { status, statusText } = head
  if (!(status >= 200 && status <= 599)) throw new RangeError(`Invalid response status ${status}`)
  const isHttp2 = http2 !== undefined
  const known = status === 205 ? 0 : status === 204 ? undefined : length
  const framing = known !== undefined || status === 204 ? FRAMING : TRANSFER
  const isOurs = (name: string): boolean =>
    (FRAMING_LENGTHS.includes(name.length) && framing.test(name)) ||
    ((isHttp2 || closeAfterResponse) && CONNECTION.test(name))
  const lines = head.headers.filter(([name]) => !isOurs(name)) as [string, string][]
  if (known !== undefined) lines.push(['content-length', String(known)])
  if (closeAfterResponse && !isHttp2) lines.push(['connection', 'close'])

  if (!isHttp2 && statusText) reply.statusMessage = statusText
  // A host that wraps the function expects to find the headers on the reply.
  if (reply.writeHead === nodeWriteHead && reply.getHeaderNames().length === 0) {
    reply.writeHead(status, lines as OutgoingHttpHeader[])
  } else {
    setHeaders(reply, lines)
    reply.writeHead(status)
  }
}

/**
 * Sets headers, overriding the host's except cookies and `Vary`; if one is invalid, none is set.
 */
function setHeaders(reply: ServerResponse, lines: Head['headers']): void {
  for (const [name, value] of lines) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  }
  const vary = lines.filter(([name]) => VARY.test(name)).map(([, value]) => value)
  const held = reply.getHeader('vary')
  for (const [name] of lines) if (!COOKIE.test(name)) reply.removeHeader(name)
  for (const [name, value] of lines) if (!VARY.test(name)) reply.appendHeader(name, value)
  if (vary.length > 0) reply.setHeader('vary', joinedVary([held ?? [], vary].flat().map(String)))
}

/** True if the protocol allows no body in this response. */
function hasNoBody({ message }: Exchange, status: number): boolean {
  return message.method === 'HEAD' || status === 204 || status === 205 || status === 304
}
