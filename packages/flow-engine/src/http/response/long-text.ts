import { eventLoopTurn, eventStream, respond, textSlices, type JsonInit } from '@x/wire'
import { acceptsGzip, gzip } from './gzip.ts'

/** Characters that are encoded, and compressed, between two turns of the event loop. */
const SLICE = 256 * 1024

/** How a text is sent. */
export interface TextInit extends JsonInit {
  /** Compress it for clients that accept that. */
  readonly gzip?: boolean
}

/**
 * A response with a text that comes in parts, each read when the client has taken the one before. A short
 * text is sent whole, and an error in its beginning is answered like any other. A client that leaves ends
 * the parts.
 */
export async function textAnswer(
  request: Request,
  parts: Iterable<string> | AsyncIterable<string>,
  { gzip: compressible = false, ...given }: TextInit,
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
  const body = eventStream(inTurns(begun, rest), { encode: (text) => text })
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
function inTurns(begun: string, rest: Parts): AsyncIterable<string> {
  let slices = textSlices(begun, SLICE)
  // No generator: one that never started would not end the parts.
  const iterator: AsyncIterator<string> = {
    async next() {
      await eventLoopTurn()
      for (;;) {
        const slice = slices.next()
        if (slice.done !== true) return slice
        const part = await rest.next()
        if (part.done === true) return { done: true, value: undefined }
        slices = textSlices(part.value, SLICE)
      }
    },
    async return() {
      await rest.return?.()
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

function withHeader(init: JsonInit, name: string, value: string): JsonInit {
  return { ...init, headers: { ...init.headers, [name]: value } }
}
