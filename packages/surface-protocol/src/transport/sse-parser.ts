import { SurfaceError } from '../diagnostics/errors.ts'
import { resolveLimits, type SurfaceLimits } from '../diagnostics/limits.ts'
import { createTextJoiner } from './line-splitter.ts'

/** One event of a stream. */
export type SseFrame = {
  /** The last id sent; `""` before the first. */
  id: string
  /** Default `message`. */
  event: string
  data: string
  /** Reconnection delay in milliseconds, if the event sets it. */
  retry?: number
}

/** Parses chunks of a body to events. */
export interface SseParser {
  /** @throws SurfaceError `limit_exceeded` if a line or an event's data exceeds `lineBytes` */
  push(chunk: Uint8Array | string): SseFrame[]
  /** Returns completed events; one without its blank line is dropped. */
  end(): SseFrame[]
}

/** Creates a parser of server-sent events as in the HTML standard. Sizes are bytes of UTF-8. */
export function createSseParser(options: { limits?: Partial<SurfaceLimits> } = {}): SseParser {
  const { lineBytes } = resolveLimits(options.limits)
  const toBytes = createTextJoiner()
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  const event = createEvent(lineBytes)
  let line = ''
  let size = 0
  let afterCr = false

  const read = (text: string): SseFrame[] => {
    if (text === '') return []
    const frames: SseFrame[] = []
    // A CR at the end of the previous chunk may be the first half of CRLF.
    const rest = afterCr && text.startsWith('\n') ? text.slice(1) : text
    afterCr = text.endsWith('\r')
    const parts = rest.split(/\r\n|\r|\n/)
    parts.forEach((part, index) => {
      line += part
      size += encoder.encode(part).length
      if (size > lineBytes) throw tooLong(lineBytes)
      if (index === parts.length - 1) return
      const frame = event.take(line, size)
      if (frame !== null) frames.push(frame)
      line = ''
      size = 0
    })
    return frames
  }

  return {
    push: (chunk) => read(decoder.decode(toBytes(chunk), { stream: true })),
    end() {
      const frames = read(decoder.decode(toBytes(null)))
      line = ''
      size = 0
      return frames
    },
  }
}

interface EventBuilder {
  /** Processes a line and its size in bytes; returns the event completed by a blank line. */
  take(line: string, bytes: number): SseFrame | null
}

function createEvent(maximum: number): EventBuilder {
  let id = ''
  let type = ''
  let data: string[] = []
  let size = 0
  let retry: number | undefined

  const complete = (): SseFrame | null => {
    const frame: SseFrame = { id, event: type === '' ? 'message' : type, data: data.join('\n') }
    const empty = data.length === 0
    type = ''
    data = []
    size = 0
    if (empty) return null
    // A block may contain only the retry time; it is then reported with the next event.
    if (retry !== undefined) frame.retry = retry
    retry = undefined
    return frame
  }

  const field = (name: string, value: string, bytes: number): void => {
    if (name === 'data') {
      size += bytes + 1
      if (size > maximum + 1) throw tooLong(maximum)
      data.push(value)
    } else if (name === 'event') type = value
    else if (name === 'id') {
      if (!value.includes('\0')) id = value
    } else if (name === 'retry' && /^\d+$/.test(value)) retry = Number(value)
  }

  return {
    take(line, bytes) {
      if (line === '') return complete()
      const colon = line.indexOf(':')
      if (colon === -1) field(line, '', 0)
      else {
        // A comment is a field without a name.
        const start = line.charAt(colon + 1) === ' ' ? colon + 2 : colon + 1
        const name = line.slice(0, colon)
        // Known field names are ASCII, one byte per character.
        field(name, line.slice(start), bytes - start)
      }
      return null
    },
  }
}

function tooLong(maximum: number): SurfaceError {
  return new SurfaceError({
    code: 'limit_exceeded',
    detail: `A line may have at most ${maximum} bytes.`,
    limit: 'lineBytes',
  })
}
