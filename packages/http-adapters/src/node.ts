import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { Bridge, type Mount } from './lib/bridge.ts'
import type {
  AdapterContext,
  AdapterOptions,
  FetchHandler,
  SelfSufficient,
  WithContext,
} from './lib/shapes.ts'

/** A listener for the servers of node:http, node:https and node:http2 (compatibility mode). */
export type NodeListener = (
  message: IncomingMessage | Http2ServerRequest,
  reply: ServerResponse | Http2ServerResponse,
) => void

/**
 * Mounts a handler in a server of node:http: `createServer(toNodeListener(handler))`. What is not
 * for it is answered with 404.
 * @throws TypeError naming an option that is unknown or invalid
 */
export function toNodeListener<C>(
  handler: FetchHandler<C>,
  options: WithContext<IncomingMessage, C>,
): NodeListener
export function toNodeListener<C = AdapterContext>(
  handler: SelfSufficient<C>,
  options?: AdapterOptions<IncomingMessage, C>,
): NodeListener
export function toNodeListener<C>(
  handler: FetchHandler<C>,
  options: AdapterOptions<IncomingMessage, C> = {},
): NodeListener {
  const bridge = new Bridge(handler, options, MOUNT)
  return (anyMessage, anyReply) => {
    const { message, reply } = asHttp1(anyMessage, anyReply)
    bridge.serve({ message, reply, host: message, way: undefined })
  }
}

const MOUNT: Mount<IncomingMessage, undefined> = {
  target: ({ url }) => url,
  parsed: (message) => message as object,
}

/** HTTP/2 compatibility mode has what this package uses of HTTP/1; where it differs, the bridge asks. */
function asHttp1(
  message: IncomingMessage | Http2ServerRequest,
  reply: ServerResponse | Http2ServerResponse,
): { message: IncomingMessage; reply: ServerResponse } {
  return { message: message as IncomingMessage, reply: reply as ServerResponse }
}
