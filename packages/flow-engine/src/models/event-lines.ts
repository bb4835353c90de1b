import type { Runtime } from '@x/wire'
import { limitExceeded } from '../errors.ts'
import { bodyChunks } from './read-answer.ts'

const MAX_EVENT_CHARS = 8 * 1024 * 1024
/** Added to the length of each line, because empty lines use memory too. */
const LINE_CHARS = 64
/** Maximum size of a streamed answer; a longer one is considered endless. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024

/** A server-sent event, with `id` and `event` if present. */
export interface ServerSentEvent {
  readonly data: string
  readonly id?: string
  readonly event?: string
}

/**
 * Yields the `data` of each server-sent event of a model's answer.
 * @throws as `serverSentEvents`; FlowError `limit_exceeded` for an answer over 128 MiB
 */
export async function* eventData(response: Response, runtime?: Runtime): AsyncGenerator<string> {
  const events = serverSentEvents(response, { runtime, limit: MAX_ANSWER_BYTES })
  for await (const { data } of events) yield data
}

export interface EventsOptions {
  /** Measures pauses, see `bodyChunks`. */
  readonly runtime?: Runtime | undefined
  /** Maximum total bytes of the events. Default: unlimited. */
  readonly limit?: number
}

/**
 * Yields the server-sent events of a response, in order. Takes time linear in the response length, however
 * small its chunks are.
 * @throws FlowError `limit_exceeded` for an event of over 8 Mi characters; `timeout`, see `bodyChunks`
 */
export async function* serverSentEvents(
  response: Response,
  { runtime, limit = Number.POSITIVE_INFINITY }: EventsOptions = {},
): AsyncGenerator<ServerSentEvent> {
  let bytes = 0
  const decoder = new TextDecoder()
  // Pieces of the current, unfinished line.
  let open: string[] = []
  let openChars = 0
  let data: string[] = []
  let dataChars = 0
  let names: { id?: string; event?: string } = {}
  let afterReturn = false
  for await (const chunk of bodyChunks(response, runtime)) {
    bytes += chunk.length
    if (bytes > limit) throw limitExceeded('answer bytes', `more than ${limit}`)
    const text = decoder.decode(chunk, { stream: true })
    if (text === '') continue
    // A leading line feed completes the preceding carriage return.
    const lines = (afterReturn && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\n|\r/)
    afterReturn = text.endsWith('\r')
    const last = lines.pop() ?? ''
    for (const end of lines) {
      const line = [...open, end].join('')
      open = []
      openChars = 0
      const part = dataOf(line)
      if (part !== undefined) {
        data.push(part)
        dataChars += part.length + LINE_CHARS
      } else if (line !== '') {
        names = { ...names, ...nameOf(line) }
      } else if (data.length > 0) {
        yield { data: data.join('\n'), ...names }
        data = []
        dataChars = 0
        names = {}
      }
    }
    open.push(last)
    openChars += last.length
    if (openChars + dataChars > MAX_EVENT_CHARS)
      throw limitExceeded('event length', `${MAX_EVENT_CHARS}`)
  }
  const rest = dataOf(open.join(''))?.trim()
  if (rest !== undefined) data.push(rest)
  if (data.length > 0) yield { data: data.join('\n'), ...names }
}

function nameOf(line: string): { id?: string; event?: string } {
  if (line.startsWith('id:')) return { id: valueOf(line, 3) }
  return line.startsWith('event:') ? { event: valueOf(line, 6) } : {}
}

function dataOf(line: string): string | undefined {
  return line.startsWith('data:') ? valueOf(line, 5) : undefined
}

/** Returns the field value after the colon, without one leading space. */
function valueOf(line: string, from: number): string {
  return line.slice(line[from] === ' ' ? from + 1 : from)
}
