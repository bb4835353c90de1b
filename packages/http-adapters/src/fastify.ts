import type { IncomingMessage, ServerResponse } from 'node:http'
import { createNodeBridge } from './lib/node/node-bridge.ts'
import { plainAddress, type Caller } from './lib/forwarded.ts'
import type { AdapterContext, FetchHandler, OptionsFor } from './lib/shapes.ts'

/** The used part of a Fastify request. */
export interface FastifyRequest {
  readonly raw: IncomingMessage
  readonly originalUrl: string
  readonly ip: string
  readonly protocol: string
  readonly host: string
  body: unknown
}

/** The used part of a Fastify reply. */
export interface FastifyReply {
  readonly raw: ServerResponse
  getHeaders(): Record<string, number | string | string[] | undefined>
  hijack(): unknown
  callNotFound(): unknown
  send(payload: unknown): unknown
}

type Done = (error: null, body: unknown) => void
/** The used part of a Fastify instance. */
export interface FastifyInstance {
  readonly prefix?: string
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    type: string,
    options: object,
    parser: (request: FastifyRequest, payload: IncomingMessage, done: Done) => void,
  ): unknown
  all(url: string, handler: (request: FastifyRequest, reply: FastifyReply) => void): unknown
}

export type FastifyPlugin = (instance: FastifyInstance, registerOptions: object) => Promise<void>

/**
 * Mounts a handler in Fastify 5, below a prefix: `app.register(fastifyPlugin(handler), { prefix })`.
 * Hooks and authentication of the host run before it, its content-type parsers do not. The handler
 * sees the full original path; other requests go to the host's not-found handler.
 * @throws TypeError naming an option that is unknown or invalid
 */
export function fastifyPlugin<C = AdapterContext>(
  handler: FetchHandler<C>,
  ...[options = {}]: OptionsFor<FastifyRequest, C>
): FastifyPlugin {
  const serve = createNodeBridge('fastifyPlugin', handler, options)
  const route =
    (prefix?: string) =>
    (request: FastifyRequest, reply: FastifyReply): void => {
      serve({
        message: request.raw,
        reply: reply.raw,
        host: request,
        target: request.originalUrl,
        prefix,
        trust: () => callerOf(request),
        pass: () => void reply.callNotFound(),
        take: () => take(reply),
        fail: (error) => void reply.send(error),
      })
    }
  return async (instance) => {
    instance.removeAllContentTypeParsers()
    // The body stays on its stream; a host's hook may have replaced the message's own stream.
    instance.addContentTypeParser('*', {}, (_request, payload, done) => done(null, payload))
    for (const url of ['/', '/*']) instance.all(url, route(instance.prefix))
  }
}

function callerOf({ ip, protocol, host }: FastifyRequest): Caller {
  return { address: plainAddress(ip), scheme: protocol === 'https' ? 'https' : 'http', host }
}

/** Takes over the reply, including headers that Fastify would only write when sending it. */
function take(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value)
  }
  reply.hijack()
}
