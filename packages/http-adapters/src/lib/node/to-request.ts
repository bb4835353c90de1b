import { LEAN_REQUEST, impersonateBuiltin } from '@x/wire'
import { abortSignal } from './abort.ts'
import type { Exchange } from './exchange.ts'
import { LeanHeaders } from './lean-headers.ts'
import { chunks, collect, hasBody } from './read-body.ts'
import { GENUINE_REQUEST } from '../shapes.ts'

const utf8 = new TextDecoder()

/** A Request that reads directly from the socket and builds a genuine one only on demand. */
export function toRequest(exchange: Exchange, url: string): Request {
  return new FastPathRequest(exchange, url) as unknown as Request
}

class FastPathRequest {
  readonly url: string
  readonly #exchange: Exchange
  #headers: LeanHeaders | undefined
  #signal: AbortSignal | undefined
  #genuine: Request | undefined
  #used = false

  constructor(exchange: Exchange, url: string) {
    this.url = url
    this.#exchange = exchange
  }

  get [LEAN_REQUEST](): boolean {
    return true
  }
  get method(): string {
    return this.#exchange.message.method ?? 'GET'
  }
  get headers(): LeanHeaders {
    return (this.#headers ??= new LeanHeaders(this.#exchange.message.rawHeaders))
  }
  get signal(): AbortSignal {
    return (this.#signal ??= abortSignal(this.#exchange))
  }
  get body(): ReadableStream | null {
    return hasBody(this.#exchange) ? this[GENUINE_REQUEST]().body : null
  }
  get bodyUsed(): boolean {
    return this.#used || (this.#genuine?.bodyUsed ?? false)
  }

  text(): Promise<string> {
    return this.#read((bytes) => utf8.decode(bytes))
  }
  json(): Promise<unknown> {
    return this.#read((bytes): unknown => JSON.parse(utf8.decode(bytes)))
  }
  arrayBuffer(): Promise<ArrayBufferLike> {
    return this.#read((bytes) => new Uint8Array(bytes).buffer)
  }
  bytes(): Promise<Uint8Array> {
    return this.#read((bytes) => new Uint8Array(bytes))
  }

  /** Reads the body once, through the genuine request if it exists. */
  #read<T>(convert: (bytes: Uint8Array) => T): Promise<T> {
    if (this.#used || this.#genuine !== undefined || !hasBody(this.#exchange)) {
      return this[GENUINE_REQUEST]()
        .arrayBuffer()
        .then((bytes) => convert(new Uint8Array(bytes)))
    }
    this.#used = true
    return collect(this.#exchange, convert)
  }

  /** The genuine request; its body counts as used if it was already read. */
  [GENUINE_REQUEST](): Request {
    if (this.#genuine !== undefined) return this.#genuine
    const { url, method, headers, signal } = this
    this.#exchange.bodyStreamTaken = hasBody(this.#exchange) && !this.#used
    const stream = this.#exchange.bodyStreamTaken
      ? ReadableStream.from(chunks(this.#exchange))
      : null
    const body = this.#used ? '' : stream
    const init = { method, headers: headers.build(), signal, body, duplex: 'half' as const }
    this.#genuine = new Request(url, init)
    headers.genuine = this.#genuine.headers
    if (this.#used) void this.#genuine.text()
    return this.#genuine
  }
}
impersonateBuiltin(FastPathRequest, Request, (request) => request[GENUINE_REQUEST]())
