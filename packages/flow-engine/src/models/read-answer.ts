import { limitExceeded } from '../errors.ts'

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

/** The chunks of a body; leaving the loop cancels it. */
export async function* bodyChunks(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  let ended = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      yield value
    }
    ended = true
  } finally {
    if (!ended) await reader.cancel().catch(() => undefined)
  }
}
