import type { Runtime } from '@x/wire'
import type { Attempt } from './dispatcher.ts'

/** Maps an HTTP status to the result of a delivery. */
export function attemptOf(response: Response, now: Date): Attempt {
  const { status } = response
  if (status >= 200 && status < 300) return { outcome: 'delivered', status, error: null }
  const error = `HTTP ${status}`
  if (status === 410) return { outcome: 'gone', status, error }
  const waits = status === 429 || status === 503
  const retryAfter = waits ? secondsOf(response.headers.get('retry-after'), now) : 0
  return { outcome: 'retry', status, error, retryAfter }
}

function secondsOf(header: string | null, now: Date): number {
  if (header === null) return 0
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const at = Date.parse(header)
  return Number.isNaN(at) ? 0 : Math.max(0, (at - now.getTime()) / 1_000)
}

/** Limits for reading a response: bytes and milliseconds. */
export const ANSWER_BYTES = 65_536
export const ANSWER_MS = 1_000

/**
 * The start of the body of an unsuccessful response. The body of a successful one is drained in the
 * background, so that the connection can be reused.
 */
export async function readAnswer(response: Response, runtime: Clock): Promise<string> {
  const text = readStart(response, runtime)
  return response.ok ? '' : text
}

type Clock = Pick<Runtime, 'sleep'>

async function readStart({ body }: Response, { sleep }: Clock): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const finished = new AbortController()
  void sleep(ANSWER_MS, finished.signal)
    .then(() => reader.cancel())
    .catch(() => undefined)
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let size = 0; size < ANSWER_BYTES;) {
      const { done, value } = await reader.read()
      if (done) return text
      size += value.length
      text += decoder.decode(value, { stream: true })
    }
    await reader.cancel()
    return text
  } catch {
    return text
  } finally {
    finished.abort('over')
  }
}
