/** A server-sent event, with the fields that were sent. */
export interface SseEvent {
  readonly data: string
  readonly event?: string
  readonly id?: string
  /** Reconnection delay in milliseconds. */
  readonly retry?: number
}

export interface SseReaderOptions {
  /** Maximum size of a line, and of the data of an event. */
  readonly limit: number
  /** Added to the data for each of its lines, because empty lines use memory too. */
  readonly lineSize: number
  /** Default: the number of characters. */
  readonly sizeOf?: (text: string) => number
  /** The error for a larger line or event. */
  readonly tooLong: () => Error
}

export interface SseReader {
  /** Returns the events that the text completes. @throws as `tooLong` says */
  push(text: string): SseEvent[]
  /** Returns the event that lacks its blank line. */
  end(): SseEvent | null
}

/**
 * Reads server-sent events as in the HTML standard, in time linear in their length, however the text is cut.
 * An `id` or a `retry` without data is that of the next event.
 */
export function createSseReader(options: SseReaderOptions): SseReader {
  const { limit, lineSize, sizeOf = (text) => text.length, tooLong } = options
  let line = ''
  let size = 0
  let afterCr = false
  let data: string[] = []
  let dataSize = 0
  let event = ''
  let id: string | undefined
  let retry: number | undefined

  const complete = (): SseEvent | null => {
    const isEmpty = data.length === 0
    const named = {
      ...(event !== '' && { event }),
      ...(id !== undefined && { id }),
      ...(retry !== undefined && { retry }),
    }
    const whole = { data: data.join('\n'), ...named }
    data = []
    dataSize = 0
    event = ''
    if (isEmpty) return null
    id = undefined
    retry = undefined
    return whole
  }

  const take = (text: string): SseEvent | null => {
    if (text === '') return complete()
    const colon = text.indexOf(':')
    // A comment is a field without a name.
    const name = colon === -1 ? text : text.slice(0, colon)
    const value = colon === -1 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') {
      dataSize += sizeOf(value) + lineSize
      if (dataSize > limit + lineSize) throw tooLong()
      data.push(value)
    } else if (name === 'event') event = value
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^\d+$/.test(value)) retry = Number(value)
    return null
  }

  return {
    push(text) {
      if (text === '') return []
      const events: SseEvent[] = []
      // A CR at the end of the previous text may be the first half of CRLF.
      const rest = afterCr && text.startsWith('\n') ? text.slice(1) : text
      afterCr = text.endsWith('\r')
      for (const [index, part] of rest.split(/\r\n|\r|\n/).entries()) {
        if (index > 0) {
          const whole = take(line)
          if (whole !== null) events.push(whole)
          line = ''
          size = 0
        }
        line += part
        size += sizeOf(part)
        if (size > limit) throw tooLong()
      }
      return events
    },
    end() {
      take(line)
      line = ''
      return complete()
    },
  }
}
