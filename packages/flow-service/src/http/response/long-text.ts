import { eventLoopTurn, eventStream, respond, textSlices, type JsonInit } from '@x/wire'
import { acceptsGzip, gzip } from './gzip.ts'
import type { UnreadResponse } from './response-memory-limit.ts'

/** Characters encoded and compressed per turn of the event loop. */
const SLICE = 256 * 1024

/** Options of `textAnswer`. */
export interface TextInit extends JsonInit {
  /** Compresses the text for clients that accept gzip. Default false. */
  readonly gzip?: boolean
  /** Called if the text is long; what it returns counts the response until it is read or left. */
  readonly admit?: (characters: number) => UnreadResponse
}

/**
 * A response with a text generated in parts, each when the client has received the one before. A short text
 * is sent as a whole; an error at its start becomes an error response. When the client disconnects, no
 * further part is generated.
 */
export async function textAnswer(
  request: Request,
  parts: Iterable<string> | AsyncIterable<string>,
  { gzip: compressible = false, admit, ...given }: TextInit,
): Promise<Response> {
  const init = compressible ? withHeader(given, 'vary', 'Accept-Encoding') : given
  const compress = compressible && acceptsGzip(request)
  const encoded = compress ? withHeader(init, 'content-encoding', 'gzip') : init
  const rest = iteratorOf(parts)
  let begun = ''
  while (begun.length <= SLICE) {
    const next = await rest.next()
    if (next.done === true) return respond(request, compress ? await gzip(begun) : begun, encoded)
    begun += next.value
  }
  let unread: UnreadResponse | undefined
  try {
    unread = admit?.(begun.length)
  } catch (error) {
    await rest.return?.()
    throw error
  }
  const body = eventStream(cooperatively(begun, rest, unread), { encode: (text) => text })
  const { status = 200, headers = {} } = encoded
  return new Response(compress ? body.pipeThrough(new CompressionStream('gzip')) : body, {
    status,
    headers: { ...headers },
  })
}

type Parts = Iterator<string> | AsyncIterator<string>

function iteratorOf(parts: Iterable<string> | AsyncIterable<string>): Parts {
  return Symbol.asyncIterator in parts ? parts[Symbol.asyncIterator]() : parts[Symbol.iterator]()
}

/** Slices of a text that has begun, with a turn of the event loop before each. */
function cooperatively(
  begun: string,
  rest: Parts,
  unread: UnreadResponse | undefined,
): AsyncIterable<string> {
  let slices = textSlices(begun, SLICE)
  const nextSlice = async (): Promise<IteratorResult<string>> => {
    for (;;) {
      const slice = slices.next()
      if (slice.done !== true) return slice
      const part = await rest.next()
      if (part.done === true) return { done: true, value: undefined }
      unread?.resize(Math.max(part.value.length, SLICE))
      slices = textSlices(part.value, SLICE)
    }
  }
  // No generator: one that never started would not end the parts.
  const iterator: AsyncIterator<string> = {
    async next() {
      unread?.begin()
      try {
        await eventLoopTurn()
        const slice = await nextSlice()
        if (slice.done === true) unread?.end()
        return slice
      } catch (error) {
        unread?.end()
        await rest.return?.()
        throw error
      }
    },
    async return() {
      unread?.end()
      slices = textSlices('', SLICE)
      await rest.return?.()
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

/** The bytes of a text in UTF-8. */
export async function encodedLength(text: string): Promise<number> {
  const encoder = new TextEncoder()
  const room = new Uint8Array(3 * SLICE + 6)
  let length = 0
  for (const slice of textSlices(text, SLICE)) {
    length += encoder.encodeInto(slice, room).written
    await eventLoopTurn()
  }
  return length
}

function withHeader(init: JsonInit, name: string, value: string): JsonInit {
  return { ...init, headers: { ...init.headers, [name]: value } }
}
