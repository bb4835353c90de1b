import { ServerResponse, validateHeaderName, validateHeaderValue } from 'node:http'
import type { ResponseParts } from '@x/wire'
import { isComplete, onClose, type Exchange } from './abort.ts'
import { settleUnread } from './unread-body.ts'

/** Status and headers of a response. */
interface Head {
  readonly status: number
  readonly statusText?: string
  readonly headers: Iterable<readonly [name: string, value: string]>
}

const HTTP1_ONLY = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade'])

/** Sends a response whose body is at hand, in one write (AD-14, AD-21). */
export function writeParts(exchange: Exchange, parts: ResponseParts): Promise<void> | undefined {
  const settled = settleUnread(exchange, false)
  if (settled !== undefined) return settled.then(() => writeNow(exchange, parts))
  writeNow(exchange, parts)
}

function writeNow(exchange: Exchange, head: Head & Pick<ResponseParts, 'body'>): void {
  const { body } = head
  const isBodiless = hasNoBody(exchange, head.status)
  let length = typeof body === 'string' ? Buffer.byteLength(body) : body?.length
  // Without a body at hand, HEAD and 304 announce the length that the handler gave.
  if (length === undefined && !isBodiless) length = 0
  writeHead(exchange, head, length)
  exchange.reply.end(isBodiless ? undefined : body)
}

/** Sends a genuine response: in one write when its body is one ready chunk, else as it comes. */
export async function writeResponse(exchange: Exchange, response: Response): Promise<void> {
  const { status, statusText, headers, body } = response
  if (response.bodyUsed) throw new TypeError('The body of the response has been used')
  if (body !== null && !hasNoBody(exchange, status)) {
    await stream(exchange, response, (body as ReadableStream<Uint8Array>).getReader())
    return
  }
  await settleUnread(exchange, false)
  writeNow(exchange, { status, statusText, headers: [...headers], body: null })
  await body?.cancel().catch(() => undefined)
}

/** Sends chunk by chunk, the next one when the socket has taken the last (AD-22, AD-23). */
async function stream(
  exchange: Exchange,
  { status, statusText, headers }: Response,
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<void> {
  const { reply } = exchange
  let gone = false
  let wake: (() => void) | undefined
  const onDrain = (): void => wake?.()
  const onLeave = (): void => {
    if (gone || isComplete(exchange)) return
    gone = true
    reader.cancel().catch(() => undefined)
    wake?.()
  }
  reply.on('drain', onDrain).on('error', onLeave)
  const stop = onClose(exchange, onLeave)
  try {
    let read = reader.read()
    const start = await ready(read)
    let following = start?.done === false ? reader.read() : undefined
    const end = start?.done === true ? start : following && (await ready(following))
    if (gone) return
    if (end?.done === true) {
      await settleUnread(exchange, false)
      const whole = start?.value ?? null
      writeNow(exchange, { status, statusText, headers: [...headers], body: whole })
      return
    }

    await settleUnread(exchange, true)
    writeHead(exchange, { status, statusText, headers }, undefined)
    reply.strictContentLength = true
    if (start === undefined) reply.flushHeaders()
    const isEvents = headers.get('content-type')?.startsWith('text/event-stream') === true
    const { flush } = reply as { flush?: () => void }
    for (;;) {
      const { done, value } = await read
      if (gone) return
      if (done) break
      const taken = reply.write(value)
      if (isEvents) flush?.call(reply)
      if (!taken) await new Promise<void>((resolve) => (wake = resolve))
      if (gone) return
      read = following ?? reader.read()
      following = undefined
    }
    reply.end()
  } catch (error) {
    reader.cancel(error).catch(() => undefined)
    throw error
  } finally {
    reply.off('drain', onDrain).off('error', onLeave)
    stop()
  }
}

/** What a read gives, when it does so without waiting for anything outside this turn. */
async function ready<T>(read: Promise<T>): Promise<T | undefined> {
  return Promise.race([read, hops(8)])
}

async function hops(count: number): Promise<undefined> {
  for (let hop = 0; hop < count; hop++) await Promise.resolve()
  return undefined
}

// eslint-disable-next-line typescript/unbound-method -- it is compared, never called
const nodeWriteHead = ServerResponse.prototype.writeHead

/**
 * Writes status and headers, over those that the host has set (AD-20); throws before anything is
 * changed when it cannot.
 * @param length bytes of the body, where they are known
 */
function writeHead(exchange: Exchange, head: Head, length: number | undefined): void {
  const { message, reply } = exchange
  const { status, statusText } = head
  if (!(status >= 200 && status <= 599))
    throw new RangeError(`A response cannot have status ${status}`)
  const isHttp2 = message.httpVersionMajor > 1
  const known = status === 205 ? 0 : status === 204 ? undefined : length
  const isFramed = known !== undefined || status === 204
  const lines: string[] = []
  let isRepeated = false
  for (const line of head.headers) {
    const [name] = line
    const key = name.toLowerCase()
    if (key === 'transfer-encoding' || (isFramed && key === 'content-length')) continue
    if ((isHttp2 || exchange.closes) && HTTP1_ONLY.has(key)) continue
    isRepeated ||= lines.includes(key) || lines.includes(name)
    lines.push(name, line[1])
  }
  if (known !== undefined) lines.push('content-length', String(known))
  if (exchange.closes && !isHttp2) lines.push('connection', 'close')

  if (!isHttp2 && statusText) reply.statusMessage = statusText
  // A host that wraps the function expects to find the headers on the reply.
  const isPlain =
    !isRepeated && reply.writeHead === nodeWriteHead && reply.getHeaderNames().length === 0
  if (isPlain) reply.writeHead(status, lines)
  else {
    setHeaders(reply, lines, isRepeated)
    reply.writeHead(status)
  }
}

/** Sets headers over those of the host; when one of them cannot be set, none is. */
function setHeaders(reply: ServerResponse, lines: readonly string[], isRepeated: boolean): void {
  for (let at = 0; at < lines.length; at += 2) {
    validateHeaderName(lines[at] ?? '')
    validateHeaderValue(lines[at] ?? '', lines[at + 1] ?? '')
  }
  const set = new Set<string>()
  for (let at = 0; at < lines.length; at += 2) {
    const name = lines[at] ?? ''
    const value = lines[at + 1] ?? ''
    if (isRepeated && set.has(name.toLowerCase())) reply.appendHeader(name, value)
    else reply.setHeader(name, value)
    if (isRepeated) set.add(name.toLowerCase())
  }
}

/** Whether the protocol sends no body with this answer (AD-21). */
function hasNoBody({ message }: Exchange, status: number): boolean {
  return message.method === 'HEAD' || status === 204 || status === 205 || status === 304
}
