import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { responseParts } from '@x/wire'
import { Exchange, type ParsedBody } from './exchange.ts'
import { behindProxies, plainAddress, type Caller, type TrustProxy } from '../forwarded.ts'
import { createDispatcher, type Call } from '../dispatcher.ts'
import { rawHeader } from './lean-headers.ts'
import { startInTurn } from './pipelined.ts'
import { toGenuineRequest, type AdapterOptions, type FetchHandler } from '../shapes.ts'
import { toRequest } from './to-request.ts'
import { writeResponse } from './write-response.ts'

/** The objects a framework on node:http passes with each request. */
interface NodeCall<Host> {
  readonly message: IncomingMessage
  readonly reply: ServerResponse
  readonly host: Host
  /** Where the framework keeps a body that it has read. Default: `host`. */
  readonly parsed?: ParsedBody
  /** The request target as sent by the client. */
  readonly target: string | undefined
  /** The prefix the framework has already matched. */
  readonly prefix?: string | undefined
  /** The framework's own proxy setting, or the caller it has determined. */
  readonly trust?: () => TrustProxy | Caller
  /** Passes on a request outside this mount; without it the response is 404. */
  readonly pass?: () => void
  /** Takes over the reply from the framework before anything is written. */
  readonly take?: () => void
  /** Passes an error to the framework while it still owns the reply. */
  readonly fail?: (error: unknown) => void
}

/** Passes requests of a node:http framework to a handler; never throws. */
export function createNodeBridge<Host extends object, C>(
  called: string,
  handler: FetchHandler<C>,
  options: AdapterOptions<Host, C>,
): (call: NodeCall<Host>) => void {
  const dispatch = createDispatcher(called, handler, options)
  const { bodyLimit = 2 ** 30, request = 'lean' } = options
  const serve = (call: NodeCall<Host>): void => dispatch(new ServerCall(call, bodyLimit, request))
  return (call) => {
    const { message, reply } = call
    // Node assigns the socket to a response once those before it are complete.
    if (reply.socket === null) startInTurn(message.socket, reply, () => serve(call))
    else serve(call)
  }
}

class ServerCall<Host extends object> extends Exchange implements Call<Host> {
  readonly host: Host
  readonly pass: NodeCall<Host>['pass']
  fail: NodeCall<Host>['fail']
  request: Request | undefined = undefined
  readonly #call: NodeCall<Host>
  readonly #kind: 'lean' | 'genuine'

  constructor(call: NodeCall<Host>, limit: number, kind: 'lean' | 'genuine') {
    super(call.message, call.reply, call.parsed ?? call.host, limit)
    this.host = call.host
    this.pass = call.pass
    this.fail = call.fail
    this.#call = call
    this.#kind = kind
  }

  get method(): string {
    return this.message.method ?? 'GET'
  }
  get target(): string {
    return this.#call.target ?? '/'
  }
  get port(): number | undefined {
    return this.message.socket.localPort
  }
  get prefix(): string | undefined {
    return this.#call.prefix
  }
  caller(trust: TrustProxy | undefined): Caller {
    return callerOf(this.message, trust ?? this.#call.trust?.() ?? false)
  }
  open(url: string): Request {
    const request = toRequest(this, url)
    return this.#kind === 'genuine' ? toGenuineRequest(request) : request
  }
  send(response: Response): Promise<void> | undefined {
    if (this.isGone() || this.isSent()) {
      return responseParts(response) === undefined ? response.body?.cancel() : undefined
    }
    // A reply that was taken over cannot be returned to the framework.
    if (this.#call.take !== undefined) this.fail = undefined
    this.#call.take?.()
    return writeResponse(this, response)
  }
}

/** The caller and the requested origin, from the socket, trusted proxies or the framework. */
function callerOf(message: IncomingMessage, trust: TrustProxy | Caller): Caller {
  const { rawHeaders, socket } = message
  const header = (name: string): string | null => rawHeader(rawHeaders, name)
  const authority = message.httpVersionMajor > 1 ? header(':authority') : null
  const host = authority ?? header('host') ?? ''
  if (typeof trust === 'object') return { ...trust, host: trust.host || host }
  const scheme = (socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http'
  return behindProxies({ address: addressOf(socket), scheme, host }, trust, header)
}

const addresses = new WeakMap<Socket, string>()

/** The address at the other end of a connection, which many requests share. */
function addressOf(socket: Socket): string | undefined {
  const known = addresses.get(socket)
  if (known !== undefined) return known
  const address = plainAddress(socket.remoteAddress)
  if (address !== undefined) addresses.set(socket, address)
  return address
}
