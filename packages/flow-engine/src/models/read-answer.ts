import type { Runtime } from '@x/wire'
import { FlowError, limitExceeded } from '../errors.ts'

/** A body of which nothing comes for so long has ended, whatever its connection says. */
const IDLE_MS = 300_000

/**
 * The body of an answer as bytes.
 * @param limit bytes
 * @throws FlowError `limit_exceeded`; what the connection throws when it breaks
 */
export async function readAnswerBytes(response: Response, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bodyChunks(response)) {
    size += chunk.length
    if (size > limit) throw limitExceeded('answer bytes', `more than ${limit}`)
    chunks.push(chunk)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** The same as UTF-8 text. */
export async function readAnswer(response: Response, limit: number): Promise<string> {
  return new TextDecoder().decode(await readAnswerBytes(response, limit))
}

/**
 * The chunks of a body; leaving the loop cancels it.
 * @param runtime measures the pauses; without one a pause may last until the caller's signal fires
 * @throws FlowError `timeout` when nothing has come for five minutes
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
      throw new FlowError('timeout', `The answer stopped: nothing came for ${IDLE_MS / 1000} s`)
    },
    () => reading,
  )
  try {
    return await Promise.race([reading, idle])
  } finally {
    read.abort()
  }
}
