import type { Runtime } from '@x/wire'

/** What came back. */
export interface Exchange {
  readonly status: number
  readonly headers: Headers
  /** undefined if it is not JSON. */
  readonly body: unknown
  readonly text: string
}

/** The server did not answer as HTTP requires, or not in time. */
export class ExchangeError extends Error {}

/** Sends requests below the base URL. */
export interface VerifyClient {
  send(
    request: {
      readonly method: string
      readonly path: string
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: unknown
    },
    signal?: AbortSignal,
  ): Promise<Exchange>
}

const MAX_BYTES = 10 * 1024 * 1024

/**
 * Redirects are not followed, a body has at most 10 MiB, and the time limit is that of the whole exchange.
 */
export function createVerifyClient({
  url,
  fetch: send,
  headers: own,
  timeoutMs,
  perSecond,
  runtime,
}: {
  readonly url: string
  readonly fetch: typeof fetch
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly perSecond: number
  readonly runtime: Runtime
}): VerifyClient {
  const base = url.replace(/\/+$/, '')
  let next = 0
  const turn = async (signal: AbortSignal | undefined): Promise<void> => {
    const now = runtime.now().getTime()
    const at = Math.max(now, next)
    next = at + 1000 / perSecond
    if (at > now) await runtime.sleep(at - now, signal)
  }
  return {
    async send({ method, path, headers, body }, signal) {
      await turn(signal)
      const ended = new AbortController()
      const stop = (): void => ended.abort(signal?.reason)
      signal?.addEventListener('abort', stop, { once: true })
      const timer = new AbortController()
      void runtime
        .sleep(timeoutMs, timer.signal)
        .then(() => ended.abort(new ExchangeError(`no answer within ${timeoutMs / 1000} s`)))
        .catch(() => undefined)
      const content = body === undefined ? {} : { 'content-type': 'application/scim+json' }
      try {
        const answer = await send(base + path, {
          method,
          redirect: 'manual',
          headers: present({ accept: 'application/scim+json', ...content, ...own, ...headers }),
          signal: ended.signal,
          ...(body !== undefined && {
            body: typeof body === 'string' ? body : JSON.stringify(body),
          }),
        })
        const text = await readAnswer(answer)
        return { status: answer.status, headers: answer.headers, text, body: parsed(text) }
      } catch (error) {
        if (signal?.aborted === true) throw signal.reason as Error
        throw asExchangeError(ended.signal.aborted ? ended.signal.reason : error)
      } finally {
        timer.abort(new Error('The exchange has ended'))
        signal?.removeEventListener('abort', stop)
      }
    },
  }
}

async function readAnswer(answer: Response): Promise<string> {
  if (answer.body === null) return ''
  const decoder = new TextDecoder()
  const reader = answer.body.getReader()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    size += value.byteLength
    if (size > MAX_BYTES) {
      await reader.cancel()
      throw new ExchangeError('the answer has more than 10 MiB')
    }
    text += decoder.decode(value, { stream: true })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function asExchangeError(error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  const reason = cause instanceof Error && cause.message !== '' ? cause.message : message
  return new ExchangeError(`no answer: ${reason}`, { cause: error })
}

/** An empty header is not sent. */
function present(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
}
