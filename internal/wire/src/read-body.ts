import { bodyFailure } from './body-refused.ts'

/** True on errors of this code, of another copy, or of an adapter that mean a body is too large. */
export const BODY_TOO_LARGE: unique symbol = Symbol.for('x.http.body-too-large') as never

/** A request body exceeded a limit (bytes) while it was read. */
export interface BodyTooLarge {
  readonly limit: number
  /** Bytes seen when reading stopped, if known: the announced length, or the bytes received. */
  readonly size?: number
}

/** A request body exceeded the limit (bytes) while it was read. None of it is retained. */
export class BodyTooLargeError extends Error implements BodyTooLarge {
  readonly [BODY_TOO_LARGE] = true
  readonly limit: number
  readonly size: number

  constructor(limit: number, size: number) {
    super(`The body is larger than ${limit} bytes`)
    this.name = 'BodyTooLargeError'
    this.limit = limit
    this.size = size
  }
}

/**
 * Recognises a BodyTooLargeError, also from another copy of this code, and equivalent errors of adapters.
 */
export function isBodyTooLarge(value: unknown): value is BodyTooLarge {
  if (typeof value !== 'object' || value === null) return false
  return (value as { [BODY_TOO_LARGE]?: unknown })[BODY_TOO_LARGE] === true
}

/**
 * Reads the whole body of a request.
 * @param limit bytes; a larger body is rejected by its announced length, else while it is read
 * @throws BodyTooLargeError; BodyRefusedError if the host ended the body with a status
 */
export async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  const isAnnounced = announced(request, limit)
  let bytes: Uint8Array
  try {
    bytes = isAnnounced
      ? new Uint8Array(await request.arrayBuffer())
      : await readStream(request.body, limit)
  } catch (error) {
    throw bodyFailure(error)
  }
  if (bytes.length > limit) throw new BodyTooLargeError(limit, bytes.length)
  return bytes
}

/**
 * Reads a whole stream, such as the body of a response, whose announced length may be that of its compressed
 * form.
 * @throws BodyTooLargeError
 */
export async function readStream(
  body: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array> {
  // A single growing buffer, because a list of one-byte chunks would take a hundred times their size.
  let whole = new Uint8Array(Math.min(limit, 4096))
  let size = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    const end = size + chunk.length
    if (end > limit) throw new BodyTooLargeError(limit, end)
    if (end > whole.length) {
      const larger = new Uint8Array(Math.min(limit, Math.max(end, whole.length * 2)))
      larger.set(whole.subarray(0, size))
      whole = larger
    }
    whole.set(chunk, size)
    size = end
  }
  return whole.subarray(0, size)
}

/**
 * The body as UTF-8 text, without a byte order mark.
 * @throws BodyTooLargeError; BodyRefusedError; TypeError if `fatal` is set and the bytes are not valid UTF-8
 */
export async function readText(
  request: Request,
  limit: number,
  { fatal = false }: { readonly fatal?: boolean } = {},
): Promise<string> {
  return (fatal ? strict : lenient).decode(await readBody(request, limit))
}

/** Created once, because that costs more than decoding a small body. */
const strict = new TextDecoder('utf-8', { fatal: true })
const lenient = new TextDecoder('utf-8')

/** True if the length is announced and within the limit, so that a single read suffices. */
function announced(request: Request, limit: number): boolean {
  const header = request.headers.get('content-length')
  if (header === null || !/^\d+$/.test(header)) return false
  const length = Number(header)
  if (length > limit) throw new BodyTooLargeError(limit, length)
  return true
}
