import { eventLoopTurn } from '@x/wire'
import type { BlobStage } from '../../store/blob-store.ts'
import { ByteBuffer } from './byte-buffer.ts'

/**
 * The last part with that name; null if there is none. If a stage was opened for a file, it contains the
 * bytes.
 */
export type FoundPart = {
  readonly filename: string | null
  readonly bytes: Uint8Array
  readonly stage?: BlobStage
} | null

/** The body is not a form with that boundary. */
export class MalformedForm extends Error {}

const MAX_PARTS = 1_000
/** Parts between two turns of the event loop. */
const PARTS_AT_ONCE = 20
/** Maximum bytes kept of a text field in place of a file, to show it in the error. */
const MAX_TEXT = 64 * 1024
const MAX_HEAD = 16 * 1024
const [CR, LF, DASH] = [0x0d, 0x0a, 0x2d]
const END_OF_HEAD = Uint8Array.of(CR, LF, CR, LF)

/**
 * Streams a multipart body and keeps only the last part with that name, so that its bytes are in memory
 * once and other requests get a turn between chunks (RFC 7578).
 * @param length announced length of the body, used as the initial buffer size
 * @throws MalformedForm, also for more than 1,000 parts or a part header of more than 16 KiB
 */
export async function findPart(
  chunks: AsyncIterable<Uint8Array>,
  { contentType, ...wanted }: PartRequest & { readonly contentType: string },
): Promise<FoundPart> {
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^;,\s]+))/i.exec(contentType)
  const text = boundary?.[1] ?? boundary?.[2]
  if (text === undefined) throw new MalformedForm('no boundary')
  const iterator = chunks[Symbol.asyncIterator]()
  const opened: BlobStage[] = []
  const open = async (): Promise<BlobStage | undefined> => {
    const stage = await wanted.open?.()
    if (stage !== undefined) opened.push(stage)
    return stage
  }
  try {
    const reader = new PartReader(iterator, new TextEncoder().encode(`--${text}`))
    const found = await lastPart(reader, { ...wanted, open })
    // Bytes after the form are ignored.
    while ((await iterator.next()).done !== true);
    return found
  } catch (error) {
    await Promise.all(opened.map((stage) => stage.discard()))
    await iterator.return?.()
    throw error
  }
}

/** The part to find. */
interface PartRequest {
  readonly name: string
  readonly length: number
  /** Opens a stage for each file with that name; without it files are held in memory. */
  readonly open?: (() => Promise<BlobStage | undefined>) | undefined
}

async function lastPart(
  reader: PartReader,
  { name, length, open }: PartRequest,
): Promise<FoundPart> {
  let found: FoundPart = null
  for (let count = 0; await reader.next(); count += 1) {
    if (count === MAX_PARTS) throw new MalformedForm('too many parts')
    // A chunk may contain hundreds of parts, and parsing each head is expensive.
    if (count % PARTS_AT_ONCE === PARTS_AT_ONCE - 1) await eventLoopTurn()
    const head = await readHead(await reader.head())
    if (head.name !== name) {
      const content = reader.content()
      while ((await content.next()).done !== true);
      continue
    }
    await found?.stage?.discard()
    found = null
    const { filename } = head
    const stage = filename === null || filename === '' ? undefined : await open?.()
    const kept = new ByteBuffer(stage === undefined ? length : 0)
    let left = filename === null || filename === '' ? MAX_TEXT : Infinity
    for await (const piece of reader.content()) {
      if (stage !== undefined) await stage.write(piece)
      else if (left > 0) kept.push(piece.subarray(0, left))
      left -= piece.length
    }
    found = { filename, bytes: kept.bytes(), ...(stage === undefined ? {} : { stage }) }
  }
  return found
}

/** Parses name and file name of a part with the runtime's own form parser. */
async function readHead(
  head: Uint8Array,
): Promise<{ readonly name: string; readonly filename: string | null }> {
  const body = new Blob(['--x\r\n', new Uint8Array(head), '\r\n\r\n\r\n--x--\r\n'])
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const form = await new Response(body, { headers }).formData()
  const [entry] = [...form]
  if (entry === undefined) throw new MalformedForm('a part without a name')
  const [name, value] = entry
  return { name, filename: typeof value === 'string' ? null : value.name }
}

/** Splits a body at its boundaries. */
class PartReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #boundary: Uint8Array
  readonly #delimiter: Uint8Array
  #window: Uint8Array = new Uint8Array(0)
  #isFirst = true

  constructor(chunks: AsyncIterator<Uint8Array>, boundary: Uint8Array) {
    this.#chunks = chunks
    this.#boundary = boundary
    this.#delimiter = new Uint8Array([CR, LF, ...boundary])
  }

  /** Moves to the header of the next part; false at the end of the form. */
  async next(): Promise<boolean> {
    if (this.#isFirst) await this.#open()
    this.#isFirst = false
    await this.#need(2)
    const [first, second] = this.#window
    if (first === DASH && second === DASH) return false
    if (first !== CR || second !== LF) throw new MalformedForm('no line break after a boundary')
    this.#window = this.#window.subarray(2)
    return true
  }

  /** The header lines of a part. */
  async head(): Promise<Uint8Array> {
    for (;;) {
      const end = indexOf(this.#window, END_OF_HEAD)
      if (end > MAX_HEAD || (end < 0 && this.#window.length > MAX_HEAD))
        throw new MalformedForm('a head that is too long')
      if (end >= 0) {
        const head = this.#window.slice(0, end)
        this.#window = this.#window.subarray(end + END_OF_HEAD.length)
        return head
      }
      await this.#more()
    }
  }

  /** The chunks of a part's content, up to its boundary. */
  async *content(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const end = indexOf(this.#window, this.#delimiter)
      if (end >= 0) {
        yield this.#window.subarray(0, end)
        this.#window = this.#window.subarray(end + this.#delimiter.length)
        return
      }
      // The end of the window may be the start of a boundary.
      const safe = this.#window.length - this.#delimiter.length + 1
      if (safe > 0) {
        yield this.#window.subarray(0, safe)
        this.#window = this.#window.slice(safe)
      }
      await this.#more()
    }
  }

  async #open(): Promise<void> {
    await this.#need(2)
    while (this.#window[0] === CR && this.#window[1] === LF) {
      this.#window = this.#window.subarray(2)
      await this.#need(2)
    }
    await this.#need(this.#boundary.length)
    if (!startsWith(this.#window, this.#boundary, 0)) throw new MalformedForm('no boundary')
    this.#window = this.#window.subarray(this.#boundary.length)
  }

  async #need(length: number): Promise<void> {
    while (this.#window.length < length) await this.#more()
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#chunks.next()
    if (done === true) throw new MalformedForm('the end is missing')
    if (this.#window.length === 0) {
      this.#window = value
      return
    }
    const joined = new Uint8Array(this.#window.length + value.length)
    joined.set(this.#window)
    joined.set(value, this.#window.length)
    this.#window = joined
  }
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  const [first = 0] = wanted
  const last = bytes.length - wanted.length
  for (let at = bytes.indexOf(first); at >= 0 && at <= last; at = bytes.indexOf(first, at + 1)) {
    if (startsWith(bytes, wanted, at)) return at
  }
  return -1
}

function startsWith(bytes: Uint8Array, wanted: Uint8Array, at: number): boolean {
  for (let index = 0; index < wanted.length; index += 1) {
    if (bytes[at + index] !== wanted[index]) return false
  }
  return true
}
