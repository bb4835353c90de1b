import { createSystemRuntime, type Runtime } from '@x/wire'
import {
  isSurfaceError,
  surfaceErrorCodes,
  SurfaceError,
  type SurfaceErrorCode,
} from '../diagnostics/errors.ts'
import { isPlainObject, ownValue } from '../json.ts'
import { createSseParser, type SseFrame } from './sse.ts'

/** Where a stream comes from and how often it is tried again. */
export interface OpenSurfaceStreamOptions {
  readonly fetch: (request: Request) => Promise<Response>
  readonly url: string
  /** Ends the stream; the iteration throws its reason. */
  readonly signal?: AbortSignal
  /** Continue behind this message. */
  readonly lastEventId?: string
  /** Milliseconds before another attempt, until the server names its own. Default: 1000. */
  readonly retryMs?: number
  /** Attempts in a row that may fail. Default: 5. */
  readonly maxRetries?: number
  readonly runtime?: Runtime
}

/** A message with its id. */
export interface StreamItem {
  readonly id: string
  readonly message: unknown
}

/**
 * Reads a stream of server-sent events and connects again when it breaks (SP-78).
 * @throws SurfaceError with the status of a 4xx answer or of an `error` event; what the last attempt
 * threw when none is left
 */
export async function* openSurfaceStream(
  options: OpenSurfaceStreamOptions,
): AsyncGenerator<StreamItem, void, undefined> {
  const { signal, maxRetries = 5, runtime = createSystemRuntime() } = options
  let lastId = options.lastEventId ?? ''
  let wait = options.retryMs ?? 1000
  let failures = 0
  for (;;) {
    signal?.throwIfAborted()
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
      if (isSurfaceError(error)) throw error
      failures += 1
      if (failures > maxRetries) throw error
    }
    await runtime.sleep(wait, signal)
  }
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
  if (response.status !== 200) throw new Error(`The server answered ${response.status}`)
  const parser = createSseParser()
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    yield* parser.push(chunk)
  }
  yield* parser.end()
}

function toItem({ id, event, data }: SseFrame): StreamItem {
  let message: unknown
  try {
    message = JSON.parse(data)
  } catch (cause) {
    throw new SurfaceError({ code: 'malformed_json', detail: 'The data is no JSON.', cause })
  }
  if (event === 'error') throw toError(message, undefined)
  return { id, message }
}

async function refusal(response: Response): Promise<SurfaceError> {
  const body: unknown = await response.json().catch(() => null)
  return toError(isPlainObject(body) ? ownValue(body, 'error') : null, response.status)
}

const codesByStatus: Readonly<Record<number, SurfaceErrorCode>> = {
  404: 'surface_not_found',
  409: 'channel_closed',
  410: 'resume_gap',
  413: 'limit_exceeded',
}

/** The error a server told of; what it says is taken only where it is one of our codes. */
function toError(body: unknown, status: number | undefined): SurfaceError {
  const told = isPlainObject(body) ? ownValue(body, 'code') : undefined
  const text = isPlainObject(body) ? ownValue(body, 'message') : undefined
  const code = surfaceErrorCodes.find((known) => known === told)
  return new SurfaceError({
    code: code ?? codesByStatus[status ?? 0] ?? 'channel_closed',
    detail:
      typeof text === 'string'
        ? text.slice(0, 300)
        : `The server answered ${status ?? 'an error'}.`,
    ...(status === undefined ? {} : { status }),
  })
}
