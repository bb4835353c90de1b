import { joinBytes } from '@x/wire'
import { iterateStream as readStream } from '@x/wire'
import { outgoingFetch } from '@x/flow-engine/internal'
import { observedLike } from '@x/flow-engine/internal'
import type { ComponentContext } from '@x/flow-engine'
import { decodeWindows } from '@x/wire'

/** Maximum size of a response: 64 MiB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

export interface RequestOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  /** Default `follow`. */
  readonly redirect?: 'follow' | 'manual'
  /** Timeout in milliseconds for the whole exchange. Default none. */
  readonly timeoutMs?: number | undefined
  /** Maximum size of the response. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /** Called with the length of each chunk; may throw to abort the exchange. */
  readonly onBytes?: ((count: number) => void) | undefined
}

/** A completely read response of any status. */
export interface Answer {
  readonly url: string
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  readonly bytes: Uint8Array
}

/** Thrown when there is no response: the connection failed, timed out, or the response was too long. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly timedOut: boolean

  constructor(message: string, options: { timedOut: boolean; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.timedOut = options.timedOut
  }
}

/**
 * Sends an HTTP request of a component through the run's fetch.
 * @throws RequestError when there is no response; the signal's reason when the run was cancelled
 */
export async function sendRequest(
  url: string,
  { timeoutMs, maxBytes = MAX_ANSWER_BYTES, onBytes, ...init }: RequestOptions,
  ctx: Pick<ComponentContext, 'runtime' | 'services' | 'signal'>,
): Promise<Answer> {
  const send = observedLike(ctx.services.fetch, outgoingFetch(ctx.services))
  const timeout = new AbortController()
  const done = new AbortController()
  if (timeoutMs !== undefined) {
    void ctx.runtime.sleep(timeoutMs, done.signal).then(
      () => timeout.abort(),
      () => undefined,
    )
  }
  try {
    const signal = AbortSignal.any([ctx.signal, timeout.signal])
    const response = await send(url, { ...init, signal })
    return {
      url: response.url === '' ? url : response.url,
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
      bytes: await readBytes(response, maxBytes, onBytes),
    }
  } catch (error) {
    ctx.signal.throwIfAborted()
    const timedOut = timeout.signal.aborted
    throw new RequestError(timedOut ? 'the request timed out' : reasonOf(error), {
      timedOut,
      cause: error,
    })
  } finally {
    done.abort()
  }
}

/** Decodes a response body with its declared character set, default UTF-8. */
export function answerText({ bytes, headers }: Pick<Answer, 'bytes' | 'headers'>): string {
  const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(headers.get('content-type') ?? '')?.[1]
  return decode(bytes, charset ?? 'utf-8')
}

/** Tests whether the status is 2xx. */
export function isSuccess({ status }: Pick<Answer, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** Formats `404 Client Error: Not Found for url: <url>`, which exported flows match on. */
export function statusText({ status, statusText: words, url }: Answer): string {
  const whose = status >= 500 ? 'Server Error' : 'Client Error'
  return `${status} ${whose}: ${words} for url: ${url}`
}

async function readBytes(
  response: Response,
  maxBytes: number,
  onBytes: RequestOptions['onBytes'],
): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array(0)
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of readStream(response.body)) {
    length += chunk.byteLength
    if (length > maxBytes) {
      throw new RangeError(`the response is longer than ${Math.floor(maxBytes / 1024 / 1024)} MiB`)
    }
    onBytes?.(chunk.byteLength)
    chunks.push(chunk)
  }
  return joinBytes(chunks)
}

/** fetch reports only "fetch failed"; the cause has the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}

function decode(bytes: Uint8Array, charset: string): string {
  const decoder = decoderOf(charset)
  return decoder.encoding === 'windows-1252' ? decodeWindows(bytes) : decoder.decode(bytes)
}

function decoderOf(charset: string) {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
