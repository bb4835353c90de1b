import type { IncomingMessage, ServerResponse } from 'node:http'
import { Bridge, type Mount } from './lib/bridge.ts'
import { plainAddress } from './lib/forwarded.ts'
import type {
  AdapterContext,
  AdapterOptions,
  FetchHandler,
  SelfSufficient,
  WithContext,
} from './lib/shapes.ts'

/** What of a Fastify request is used. */
export interface FastifyRequest {
  readonly raw: IncomingMessage
  readonly originalUrl: string
  readonly ip: string
  readonly protocol: string
  readonly host: string
  body: unknown
}

/** What of a Fastify reply is used. */
export interface FastifyReply {
  readonly raw: ServerResponse
  getHeaders(): Record<string, number | string | string[] | undefined>
  hijack(): unknown
  callNotFound(): unknown
  send(payload: unknown): unknown
}

type ParserDone = (error: null, body: unknown) => void

/** What of a Fastify instance is used. */
export interface FastifyInstance {
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    type: string,
    options: object,
    parser: (request: FastifyRequest, payload: IncomingMessage, done: ParserDone) => void,
  ): unknown
  all(url: string, handler: (request: FastifyRequest, reply: FastifyReply) => void): unknown
}

export type FastifyPlugin = (instance: FastifyInstance, registerOptions: object) => Promise<void>

/**
 * Mounts a handler in Fastify 5, below a prefix: `app.register(fastifyPlugin(handler), { prefix })`.
 * Hooks and authentication of the host run before it, its content-type parsers do not. The handler
 * sees the full original path; what is not for it goes to the host's not-found handler.
 * @throws TypeError naming an option that is unknown or invalid
 */
export function fastifyPlugin<C>(
  handler: FetchHandler<C>,
  options: WithContext<FastifyRequest, C>,
): FastifyPlugin
export function fastifyPlugin<C = AdapterContext>(
  handler: SelfSufficient<C>,
  options?: AdapterOptions<FastifyRequest, C>,
): FastifyPlugin
export function fastifyPlugin<C>(
  handler: FetchHandler<C>,
  options: AdapterOptions<FastifyRequest, C> = {},
): FastifyPlugin {
  const bridge = new Bridge(handler, options, MOUNT)
  const serve = (request: FastifyRequest, reply: FastifyReply): void => {
    bridge.serve({ message: request.raw, reply: reply.raw, host: request, way: reply })
  }
  return async (instance) => {
    instance.removeAllContentTypeParsers()
    // The body stays on its stream; hooks of the host may have put one over that of the message.
    instance.addContentTypeParser('*', {}, (_request, payload, done) => done(null, payload))
    for (const url of ['/', '/*']) {
      instance.all(url, serve)
    }
  }
}

const MOUNT: Mount<FastifyRequest, FastifyReply> = {
  target: ({ originalUrl }) => originalUrl,
  parsed: (request) => request,
  trust: ({ ip, protocol, host }) => {
    const scheme = protocol === 'https' ? 'https' : 'http'
    return { address: plainAddress(ip), scheme, host }
  },
  pass: (reply) => void reply.callNotFound(),
  take(reply) {
    // Fastify keeps the headers of the host to itself until it sends the reply.
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value)
    }
    reply.hijack()
  },
  fail: (reply, error) => void reply.send(error),
}
