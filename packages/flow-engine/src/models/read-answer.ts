import type { Runtime } from '@x/wire'
import { joinBytes } from '@x/wire'
import { FlowError, limitExceeded } from '../errors.ts'

/** A response body is considered dead after this long without data. */
const IDLE_MS = 300_000

/**
 * Reads a response body as bytes.
 * @param limit maximum size in bytes
 * @throws FlowError `limit_exceeded`; the connection's error if it breaks
 */
export async function readAnswerBytes(response: Response, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bodyChunks(response)) {
    size += chunk.length
    if (size > limit) throw limitExceeded('answer bytes', `more than ${limit}`)
    chunks.push(chunk)
  }
  return joinBytes(chunks)
}

/** Reads a response body as UTF-8 text. @throws as `readAnswerBytes` */
export async function readAnswer(response: Response, limit: number): Promise<string> {
  return new TextDecoder().decode(await readAnswerBytes(response, limit))
}

/**
 * Yields the chunks of a body; leaving the loop cancels it.
 * @param runtime measures the pauses; without it only the caller's signal ends a pause
 * @throws FlowError `timeout` after five minutes without data
 */
export async function* bodyChunks(
  response: Response,
  runtime?: Runtime,
): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  let ended = false
  try {
    for (;;) {
      const { done, value } = await (runtime === undefined
        ? reader.read()
        : beforeIdle(reader.read(), runtime))
      if (done) break
      yield value
    }
    ended = true
  } finally {
    if (!ended) await reader.cancel().catch(() => undefined)
  }
}

async function beforeIdle<T>(reading: Promise<T>, runtime: Runtime): Promise<T> {
  const read = new AbortController()
  const idle = runtime.sleep(IDLE_MS, read.signal).then(
    () => {
      throw new FlowError('timeout', `The response stalled: no data for ${IDLE_MS / 1000} s`)
    },
    () => reading,
  )
  try {
    return await Promise.race([reading, idle])
  } finally {
    read.abort()
  }
}
