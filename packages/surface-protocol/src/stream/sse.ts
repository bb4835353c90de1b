import { SurfaceError } from '../errors.ts'
import { resolveLimits, type SurfaceLimits } from '../limits.ts'

/** One event of a stream. */
export type SseFrame = {
  /** The last id that was sent, `""` before the first. */
  id: string
  /** `message` when none was named. */
  event: string
  data: string
  /** Milliseconds to wait before the next attempt, when the event changed it. */
  retry?: number
}

/** Takes a body in pieces and gives its events. */
export interface SseParser {
  /** @throws SurfaceError `limit_exceeded` when a line or the data of an event passes `lineBytes` */
  push(chunk: Uint8Array | string): SseFrame[]
  /** Gives what is complete; an event without its blank line is dropped. */
  end(): SseFrame[]
}

/** A parser of server-sent events by the HTML standard (SP-77). */
export function createSseParser(options: { limits?: Partial<SurfaceLimits> } = {}): SseParser {
  const { lineBytes } = resolveLimits(options.limits)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const event = createEvent(lineBytes)
  let held = ''
  let atStart = true
  let skipLf = false

  const pushText = (added: string): SseFrame[] => {
    const frames: SseFrame[] = []
    let text = added
    if (atStart && text !== '') {
      atStart = false
      if (text.startsWith('\ufeff')) text = text.slice(1)
    }
    if (skipLf && text !== '') {
      skipLf = false
      if (text.startsWith('\n')) text = text.slice(1)
    }
    const lines = (held + text).split(/\r\n|\r|\n/)
    held = lines.pop() ?? ''
    // A CR at the end may be the first half of CRLF.
    if (text.endsWith('\r')) skipLf = true
    if (held.length > lineBytes) throw tooLong(lineBytes)
    for (const line of lines) {
      if (line.length > lineBytes) throw tooLong(lineBytes)
      const frame = event.take(line)
      if (frame !== null) frames.push(frame)
    }
    return frames
  }

  return {
    push: (chunk) =>
      pushText(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })),
    end() {
      const frames = pushText(decoder.decode())
      held = ''
      return frames
    },
  }
}

interface EventBuilder {
  /** Takes one line; gives the event that a blank line completes. */
  take(line: string): SseFrame | null
}

function createEvent(maximum: number): EventBuilder {
  let id = ''
  let type = ''
  let data: string[] = []
  let size = 0
  let retry: number | undefined

  const complete = (): SseFrame | null => {
    const frame: SseFrame = { id, event: type === '' ? 'message' : type, data: data.join('\n') }
    if (retry !== undefined) frame.retry = retry
    const empty = data.length === 0
    type = ''
    data = []
    size = 0
    retry = undefined
    return empty ? null : frame
  }

  const field = (name: string, value: string): void => {
    if (name === 'data') {
      size += value.length + 1
      if (size > maximum + 1) throw tooLong(maximum)
      data.push(value)
    } else if (name === 'event') type = value
    else if (name === 'id') {
      if (!value.includes('\0')) id = value
    } else if (name === 'retry' && /^\d+$/.test(value)) retry = Number(value)
  }

  return {
    take(line) {
      if (line === '') return complete()
      const colon = line.indexOf(':')
      if (colon === -1) field(line, '')
      else if (colon > 0) {
        const start = line.charAt(colon + 1) === ' ' ? colon + 2 : colon + 1
        field(line.slice(0, colon), line.slice(start))
      }
      return null
    },
  }
}

function tooLong(maximum: number): SurfaceError {
  return new SurfaceError({
    code: 'limit_exceeded',
    detail: `A line may have ${maximum} bytes.`,
    limit: 'lineBytes',
  })
}
