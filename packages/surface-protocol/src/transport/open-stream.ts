import { createSystemRuntime, type Runtime } from '@x/wire'
import {
  isSurfaceError,
  quote,
  surfaceErrorCodes,
  SurfaceError,
  type SurfaceErrorCode,
} from '../diagnostics/errors.ts'
import { isPlainObject, ownValue } from '../json.ts'
import { createSseParser, type SseFrame } from './sse-parser.ts'

/** Options for opening a stream. */
export interface OpenSurfaceStreamOptions {
  readonly fetch: (request: Request) => Promise<Response>
  readonly url: string
  /** Ends the stream; the iteration throws the signal's reason. */
  readonly signal?: AbortSignal
  /** Continue after this message. */
  readonly lastEventId?: string
  /**
   * Milliseconds before reconnecting, until the server sends its own value; at least 100. Default: 1000.
   */
  readonly retryMs?: number
  /** Maximum consecutive failed attempts. Default: 5. */
  readonly maxRetries?: number
  readonly runtime?: Runtime
}

/** A message with its id. */
export interface StreamItem {
  readonly id: string
  readonly message: unknown
}

/** Minimum and maximum milliseconds before reconnecting. */
const MIN_WAIT = 100
const MAX_WAIT = 60_000
/** A connection shorter than this doubles the delay. */
const SHORT_CONNECTION = 1000

/**
 * Reads a stream of server-sent events and reconnects if it breaks. The delay is at least 100 ms and
 * at most 60 s, doubles after each connection that broke within a second, and varies by up to 20 %.
 * @throws SurfaceError with the status of a 4xx response or of an `error` event, `malformed_message` for
 * another content type; the last attempt's error if none are left
 */
export async function* openSurfaceStream(
  options: OpenSurfaceStreamOptions,
): AsyncGenerator<StreamItem, void, undefined> {
  const { signal, maxRetries = 5, runtime = createSystemRuntime() } = options
  const time = (): number => runtime.now().getTime()
  let lastId = options.lastEventId ?? ''
  let wait = options.retryMs ?? 1000
  let failures = 0
  let shortOnes = 0
  for (;;) {
    signal?.throwIfAborted()
    const start = time()
    try {
      for await (const frame of readFrames(options, lastId)) {
        failures = 0
        lastId = frame.id
        wait = frame.retry ?? wait
        yield toItem(frame)
      }
      return
    } catch (error) {
      signal?.throwIfAborted()
      if (isSurfaceError(error) && error.code !== 'too_slow') throw error
      failures += 1
      if (failures > maxRetries) throw error
    }
    shortOnes = time() - start < SHORT_CONNECTION ? shortOnes + 1 : 0
    await runtime.sleep(backOff(wait, shortOnes, runtime), signal)
  }
}

/** The delay after `shortOnes` consecutive connections that broke immediately. */
function backOff(wait: number, shortOnes: number, runtime: Runtime): number {
  const base = Math.max(MIN_WAIT, wait) * 2 ** Math.min(shortOnes - 1, 16)
  const [byte = 0] = runtime.randomBytes(1)
  const doubled = shortOnes > 1 ? base : Math.max(MIN_WAIT, wait)
  return Math.min(MAX_WAIT, Math.round(doubled * (1 + (0.2 * byte) / 255)))
}

async function* readFrames(
  { fetch, url, signal }: OpenSurfaceStreamOptions,
  lastId: string,
): AsyncGenerator<SseFrame, void, undefined> {
  const headers = new Headers({ accept: 'text/event-stream' })
  if (lastId !== '') headers.set('last-event-id', lastId)
  const request = new Request(url, { headers, ...(signal === undefined ? {} : { signal }) })
  const response = await fetch(request)
  if (response.status === 204) return
  if (response.status >= 400 && response.status < 500) throw await refusal(response)
  if (response.status !== 200) {
    await discard(response)
    throw new Error(`The server answered ${response.status}`)
  }
  const type = response.headers.get('content-type')
  if (type !== null && !/^text\/event-stream *(?:;|$)/i.test(type)) {
    await discard(response)
    const detail = `The server answered ${quote(type)} in place of text/event-stream.`
    throw new SurfaceError({ code: 'malformed_message', detail })
  }
  const parser = createSseParser()
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    yield* parser.push(chunk)
  }
  yield* parser.end()
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined)
}

function toItem({ id, event, data }: SseFrame): StreamItem {
  let message: unknown
  try {
    message = JSON.parse(data)
  } catch (cause) {
    throw new SurfaceError({ code: 'malformed_json', detail: 'The data is not valid JSON.', cause })
  }
  if (event === 'error') throw toError(message, undefined)
  return { id, message }
}

async function refusal(response: Response): Promise<SurfaceError> {
  const body = await readShort(response)
  return toError(isPlainObject(body) ? ownValue(body, 'error') : null, response.status)
}

/** Maximum characters read of an error response. */
const MAX_REFUSAL = 65_536

/** The JSON of a short body, else null; the rest of a body is cancelled. */
async function readShort(response: Response): Promise<unknown> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > MAX_REFUSAL) return null
    }
    return JSON.parse(text)
  } catch {
    return null
  }
}

const codesByStatus: Readonly<Record<number, SurfaceErrorCode>> = {
  404: 'surface_not_found',
  409: 'channel_closed',
  410: 'resume_gap',
  413: 'limit_exceeded',
}

/** A server's error; its text is only used together with one of our codes. */
function toError(body: unknown, status: number | undefined): SurfaceError {
  const announced = isPlainObject(body) ? ownValue(body, 'code') : undefined
  const text = isPlainObject(body) ? ownValue(body, 'message') : undefined
  const code = surfaceErrorCodes.find((known) => known === announced)
  return new SurfaceError({
    code: code ?? codesByStatus[status ?? 0] ?? 'channel_closed',
    detail:
      typeof text === 'string'
        ? text.slice(0, 300)
        : `The server answered ${status ?? 'an error'}.`,
    ...(status === undefined ? {} : { status }),
  })
}
