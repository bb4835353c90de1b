import { createSseReader } from '@x/wire'
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
  const reader = createSseReader({
    limit: lineBytes,
    lineSize: 1,
    sizeOf: (text) => encoder.encode(text).length,
    tooLong: () => tooLong(lineBytes),
  })
  let last = ''
  const read = (bytes: Uint8Array, stream: boolean): SseFrame[] =>
    reader.push(decoder.decode(bytes, { stream })).map(({ id, event = 'message', ...sent }) => {
      last = id ?? last
      return { id: last, event, ...sent }
    })

  return {
    push: (chunk) => read(toBytes(chunk), true),
    end: () => read(toBytes(null), false),
  }
}

function tooLong(maximum: number): SurfaceError {
  return new SurfaceError({
    code: 'limit_exceeded',
    detail: `A line may have at most ${maximum} bytes.`,
    limit: 'lineBytes',
  })
}
