import { LEAN_REQUEST } from '@x/wire'
import { abortSignal } from './abort.ts'
import { completeFrom, LeanHeaders } from './lean-headers.ts'
import { collect, hasBody, pulled, type BodySource } from './read-body.ts'
import { GENUINE_REQUEST } from './shapes.ts'

/** A Request that reads from the socket itself and builds a genuine one only on demand (AD-12). */
export function leanRequest(url: string, source: BodySource): Request {
  return new LeanRequest(url, source) as unknown as Request
}

class LeanRequest {
  readonly url: string
  readonly #source: BodySource
  #headers: LeanHeaders | undefined
  #signal: AbortSignal | undefined
  #genuine: Request | undefined
  #used = false

  constructor(url: string, source: BodySource) {
    this.url = url
    this.#source = source
  }

  get [LEAN_REQUEST](): boolean {
    return true
  }
  get method(): string {
    return this.#source.exchange.message.method ?? 'GET'
  }
  get headers(): LeanHeaders {
    return (this.#headers ??= new LeanHeaders(this.#source.exchange.message.rawHeaders))
  }
  get signal(): AbortSignal {
    return (this.#signal ??= abortSignal(this.#source.exchange))
  }
  get body(): ReadableStream | null {
    return hasBody(this.#source.exchange) ? this[GENUINE_REQUEST]().body : null
  }
  get bodyUsed(): boolean {
    return this.#used || (this.#genuine?.bodyUsed ?? false)
  }

  text(): Promise<string> {
    return this.#read(toText)
  }
  json(): Promise<unknown> {
    return this.#read((bytes): unknown => JSON.parse(toText(bytes)))
  }
  arrayBuffer(): Promise<ArrayBufferLike> {
    return this.#read((bytes) => new Uint8Array(bytes).buffer)
  }
  bytes(): Promise<Uint8Array> {
    return this.#read((bytes) => new Uint8Array(bytes))
  }

  /** Reads the body once, in a single promise; through the genuine request when there is one. */
  #read<T>(convert: (bytes: Uint8Array) => T): Promise<T> {
    if (this.#genuine !== undefined) {
      return this.#genuine.arrayBuffer().then((buffer) => convert(new Uint8Array(buffer)))
    }
    return new Promise((resolve, reject) => {
      const done = (bytes: Uint8Array): void => {
        try {
          resolve(convert(bytes))
        } catch (error) {
          reject(error)
        }
      }
      if (!hasBody(this.#source.exchange)) return done(new Uint8Array())
      if (this.#used) throw new TypeError('Body is unusable: it has been read already')
      this.#used = true
      collect(this.#source, done, reject)
    })
  }

  [GENUINE_REQUEST](): Request {
    if (this.#genuine !== undefined) return this.#genuine
    const { exchange } = this.#source
    let body: ReadableStream | '' | null = null
    if (hasBody(exchange)) {
      exchange.claimed = !this.#used
      body = this.#used ? '' : pulled(this.#source)
    }
    const { method, headers, signal } = this
    const init = { method, headers: headers.genuine(), signal, body, duplex: 'half' as const }
    this.#genuine = new Request(this.url, init)
    headers.adopt(this.#genuine.headers)
    // A body that was read before stands for itself as one that is used.
    if (this.#used) void this.#genuine.text()
    return this.#genuine
  }
}
completeFrom(LeanRequest, Request, (request) => request[GENUINE_REQUEST]())

/** UTF-8 as `Request.text` decodes it: without byte order mark, what is no UTF-8 replaced. */
function toText(bytes: Uint8Array): string {
  const { buffer, byteOffset, length } = bytes
  const text = (
    bytes instanceof Buffer ? bytes : Buffer.from(buffer, byteOffset, length)
  ).toString()
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}
