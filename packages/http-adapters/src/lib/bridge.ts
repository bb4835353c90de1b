import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { responseParts } from '@x/wire'
import { breakOff, isGone, type Exchange } from './abort.ts'
import { failureAnswer, isAbort, isResponse, plainAnswer } from './answers.ts'
import { behindProxies, plainAddress, type Caller, type TrustProxy } from './forwarded.ts'
import { rawHeader } from './lean-headers.ts'
import { checkOptions, readOrigin } from './options.ts'
import type { ParsedBody } from './parsed-body.ts'
import { toGenuineRequest, type AdapterOptions, type FetchHandler } from './shapes.ts'
import { isBelow, originOf, requestPath } from './target.ts'
import { leanRequest } from './to-request.ts'
import { writeParts, writeResponse } from './write-response.ts'

/** What differs between the frameworks over node:http. `Way` leads back into the framework. */
export interface Mount<Host, Way> {
  /** The request target as the client sent it. */
  target(host: Host): string | undefined
  /** Where the host leaves a body that it has read. */
  parsed(host: Host): ParsedBody
  /** Whom the framework is set to trust, or what it has found out itself. */
  trust?(host: Host): TrustProxy | Caller
  /** Passes on a request that is not for this mount; without it the answer is 404. */
  pass?(way: Way): void
  /** Takes the reply over from the framework, before anything is written. */
  take?(way: Way): void
  /** Hands an error to the framework. */
  fail?(way: Way, error: unknown): void
}

/** One request on its way, and where it came from. */
class Call<Host, Way> implements Exchange {
  readonly message: IncomingMessage
  readonly reply: ServerResponse
  readonly host: Host
  readonly way: Way
  /** Made when the request is for this mount, or to report a failure before that. */
  request: Request | undefined = undefined
  isTaken = false
  reading = false
  claimed = false
  closes = false
  drained = 0

  constructor({ message, reply, host, way }: Start<Host, Way>) {
    this.message = message
    this.reply = reply
    this.host = host
    this.way = way
  }
}

/** What a framework hands over for each request. */
interface Start<Host, Way> {
  readonly message: IncomingMessage
  readonly reply: ServerResponse
  readonly host: Host
  readonly way: Way
}

/** Methods that a Request cannot have. */
const NO_REQUEST = new Set(['CONNECT', 'TRACE', 'TRACK'])

/** Leads requests through one handler; `serve` never throws and never rejects (AD-3, AD-4). */
export class Bridge<Host, Way, C> {
  readonly #handler: FetchHandler<C>
  readonly #options: AdapterOptions<Host, C>
  readonly #mount: Mount<Host, Way>
  readonly #basePath: string
  readonly #origin: string | undefined

  constructor(handler: FetchHandler<C>, options: AdapterOptions<Host, C>, mount: Mount<Host, Way>) {
    checkOptions(handler, options)
    this.#handler = handler
    this.#options = options
    this.#mount = mount
    this.#basePath = requestPath(options.basePath ?? '/')
    this.#origin = typeof options.origin === 'string' ? readOrigin(options.origin) : undefined
  }

  serve(start: Start<Host, Way>): void {
    const call = new Call(start)
    try {
      this.#receive(call)
    } catch (error) {
      this.#fail(call, error)
    }
  }

  #receive(call: Call<Host, Way>): void {
    const options = this.#options
    const path = requestPath(this.#mount.target(call.host) ?? '/')
    if (!isBelow(path, this.#basePath)) return this.#pass(call)
    const caller = this.#callerOf(call)
    const origin = this.#originOf(call, caller)
    if (origin === null) return this.#respond(call, plainAnswer(400, 'Invalid Host header'))
    if (NO_REQUEST.has(call.message.method ?? '')) {
      return this.#respond(call, plainAnswer(405, 'Method Not Allowed'))
    }
    call.request = this.#requestOf(call, origin + path)
    if (options.match?.(call.request) === false) return this.#pass(call)

    const base = caller.address === undefined ? {} : { clientAddress: caller.address }
    // Without the option `C` has no member that must be there (SelfSufficient).
    const context = options.context === undefined ? (base as C) : options.context(call.host, base)
    if (!isPromise(context)) return this.#run(call, call.request, context)
    const { request } = call
    context
      .then((made) => this.#run(call, request, made))
      .catch((error: unknown) => this.#fail(call, error))
  }

  #run(call: Call<Host, Way>, request: Request, context: C): void {
    const response = this.#handler(request, context)
    if (!isPromise(response)) return this.#respond(call, response)
    response.then(
      (made) => this.#respond(call, made),
      (error: unknown) => this.#fail(call, error),
    )
  }

  #respond(call: Call<Host, Way>, response: Response): void {
    try {
      if (!isResponse(response)) throw new TypeError('The handler returned no Response')
      this.#send(call, response)?.catch((error: unknown) => this.#fail(call, error))
    } catch (error) {
      this.#fail(call, error)
    }
  }

  #send(call: Call<Host, Way>, response: Response): Promise<void> | undefined {
    const parts = responseParts(response)
    if (isGone(call) || call.reply.headersSent) {
      return parts === undefined ? response.body?.cancel() : undefined
    }
    if (!call.isTaken) this.#mount.take?.(call.way)
    call.isTaken = true
    return parts === undefined ? writeResponse(call, response) : writeParts(call, parts)
  }

  #fail(call: Call<Host, Way>, error: unknown): void {
    this.#recover(call, error).catch(() => breakOff(call))
  }

  /** Reports a failure once, and answers it where that is still possible (AD-26). */
  async #recover(call: Call<Host, Way>, error: unknown): Promise<void> {
    const { onError } = this.#options
    const isLeft = isGone(call)
    // What a client that left has cut off is no failure.
    if (isLeft && isAbort(error)) return
    const sent = call.reply.headersSent
    if (sent) breakOff(call)
    const canHandOver = this.#mount.fail !== undefined && !call.isTaken
    if (onError === 'host' && canHandOver && !sent) return this.#mount.fail?.(call.way, error)

    let answer: unknown
    if (typeof onError === 'function') {
      const request = (call.request ??= this.#requestOf(call, 'http://localhost/'))
      answer = await attempt(async () => onError(error, { request, host: call.host, sent }))
    }
    if (sent || isLeft) return
    try {
      await this.#send(call, isResponse(answer) ? answer : failureAnswer(error))
    } catch (unsent) {
      if (call.reply.headersSent || !isResponse(answer)) throw unsent
      await this.#send(call, failureAnswer(unsent))
    }
  }

  #pass(call: Call<Host, Way>): void {
    if (this.#mount.pass !== undefined) this.#mount.pass(call.way)
    else this.#respond(call, plainAnswer(404, 'Not Found'))
  }

  #callerOf({ message, host }: Call<Host, Way>): Caller {
    const trust = this.#options.trustProxy ?? this.#mount.trust?.(host) ?? false
    const { rawHeaders: raw, socket } = message
    const isSecure = (socket as Partial<TLSSocket>).encrypted === true
    const authority = message.httpVersionMajor > 1 ? rawHeader(raw, ':authority') : null
    const sent = authority ?? rawHeader(raw, 'host')
    const name = sent || `localhost:${socket.localPort ?? ''}`
    if (typeof trust === 'object') return { ...trust, host: trust.host || name }
    const peer: Caller = {
      address: plainAddress(socket.remoteAddress),
      scheme: isSecure ? 'https' : 'http',
      host: name,
    }
    return trust === false ? peer : behindProxies(peer, trust, (key) => rawHeader(raw, key))
  }

  #originOf({ host }: Call<Host, Way>, caller: Caller): string | null {
    const { origin } = this.#options
    if (typeof origin === 'function') return readOrigin(origin(host))
    return this.#origin ?? originOf(caller.scheme, caller.host)
  }

  #requestOf(exchange: Call<Host, Way>, url: string): Request {
    const { bodyLimit: limit = 2 ** 30, request: kind } = this.#options
    const request = leanRequest(url, { exchange, parsed: this.#mount.parsed(exchange.host), limit })
    return kind === 'genuine' ? toGenuineRequest(request) : request
  }
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | undefined)?.then === 'function'
}

async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}
