import { isObject, type Runtime } from '@x/wire'
import { ModelError, redact } from './model-error.ts'
import { parseAnswer } from './parse-answer.ts'
import { readAnswer } from './read-answer.ts'

export interface SendOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Sent as JSON, or as a form if URLSearchParams. */
  readonly body: unknown
  readonly fetch: typeof fetch
  readonly runtime: Runtime
  readonly signal: AbortSignal
  /** Retries after 408, 409, 429, 5xx and connection errors. */
  readonly maxRetries: number
  readonly onRetry?: (() => Promise<void>) | undefined
  /** Milliseconds until the headers of each attempt arrive. */
  readonly timeoutMs: number
  /** Strings to redact from errors. */
  readonly secrets: readonly string[]
}

const MAX_ERROR_BYTES = 64 * 1024
const MAX_DELAY_MS = 60_000

/**
 * Posts JSON or a form. Retries with exponential backoff and honours `retry-after`.
 * @throws ModelError for an error response; the signal's reason if aborted
 */
export async function sendModelRequest(options: SendOptions): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    const { response, error } = await tryOnce(options)
    if (response?.ok === true) return response
    options.signal.throwIfAborted()
    const mayRetry = response === undefined ? !isRefused(error) : isTransient(response.status)
    if (!mayRetry || attempt >= options.maxRetries) {
      throw response === undefined
        ? connectionError(error, options)
        : await answerError(response, options)
    }
    await response?.body?.cancel()
    await options.onRetry?.()
    await options.runtime.sleep(pause(response, attempt, options.runtime), options.signal)
  }
}

/** A response of any status, or the reason there is none. */
interface Attempt {
  readonly response?: Response
  readonly error?: unknown
}

async function tryOnce(options: SendOptions): Promise<Attempt> {
  const { url, headers, body, runtime, signal, timeoutMs, fetch: send } = options
  const timedOut = new AbortController()
  const answered = new AbortController()
  void runtime.sleep(timeoutMs, answered.signal).then(
    () => timedOut.abort(new Error(`Request timed out after ${timeoutMs} ms`)),
    () => undefined,
  )
  try {
    const response = await send(url, {
      method: 'POST',
      ...encodeBody(body, headers),
      signal: AbortSignal.any([signal, timedOut.signal]),
    })
    return { response }
  } catch (error) {
    return { error: timedOut.signal.aborted ? timedOut.signal.reason : error }
  } finally {
    answered.abort()
  }
}

function encodeBody(body: unknown, headers: SendOptions['headers']): RequestInit {
  // fetch sets the form's content type.
  if (body instanceof URLSearchParams) return { headers, body }
  return {
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}

function isTransient(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500
}

function pause(response: Response | undefined, attempt: number, runtime: Runtime): number {
  const wanted = retryAfter(response?.headers.get('retry-after') ?? null, runtime)
  if (wanted !== null) return Math.min(wanted, MAX_DELAY_MS)
  const [random = 0] = runtime.randomBytes(1)
  return Math.min(8000, 500 * 2 ** attempt) * (0.75 + random / 1024)
}

/** Parses seconds or an HTTP date to milliseconds from now. */
function retryAfter(value: string | null, runtime: Runtime): number | null {
  if (value === null) return null
  const seconds = Number(value)
  if (!Number.isNaN(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, date - runtime.now().getTime())
}

/** The address, or a key for it, is not allowed; a retry would not help. */
function isRefused(error: unknown): error is Error & { readonly code: string } {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  return code === 'address_blocked' || code === 'key_refused'
}

function connectionError(cause: unknown, { secrets }: SendOptions): ModelError {
  if (isRefused(cause)) {
    return new ModelError({ status: null, code: cause.code, message: cause.message }, cause)
  }
  const inner =
    cause instanceof Error && cause.cause instanceof Error ? `: ${cause.cause.message}` : ''
  const text = cause instanceof Error ? cause.message + inner : String(cause)
  const message = redact(`Connection error: ${text}`, secrets)
  return new ModelError({ status: null, code: 'connection', message })
}

async function answerError(
  response: Response,
  { secrets, signal }: SendOptions,
): Promise<ModelError> {
  const text = await readAnswer(response, MAX_ERROR_BYTES).catch(() => '')
  signal.throwIfAborted()
  const { code, message } = readFailure(text)
  return new ModelError({
    status: response.status,
    code,
    message: redact(message === '' ? response.statusText : message, secrets),
  })
}

/** Reads `{error: {message, code | type}}`, `{error: string}` or plain text. */
export function readFailure(text: string): { code: string | null; message: string } {
  // A longer text is not a structured error; its start is shown as is.
  const body = text.length > MAX_ERROR_BYTES ? undefined : parseAnswer(text)
  if (body === undefined) return { code: null, message: text.slice(0, 2000) }
  const error = isObject(body) && 'error' in body ? body.error : body
  if (typeof error === 'string') return { code: null, message: error }
  if (!isObject(error)) return { code: null, message: text.slice(0, 2000) }
  const code = [error.code, error.type].find((part) => typeof part === 'string')
  return {
    code: typeof code === 'string' ? code : null,
    message: typeof error.message === 'string' ? error.message : text.slice(0, 2000),
  }
}
