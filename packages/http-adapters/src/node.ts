import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { createNodeBridge } from './lib/node/node-bridge.ts'
import type { AdapterContext, FetchHandler, OptionsFor } from './lib/shapes.ts'

/** A listener for servers of node:http, node:https and node:http2 (compatibility mode). */
export type NodeListener = (
  message: IncomingMessage | Http2ServerRequest,
  reply: ServerResponse | Http2ServerResponse,
) => void

/**
 * Mounts a handler in a node:http server: `createServer(toNodeListener(handler))`. Other requests get 404.
 * @throws TypeError naming an unknown or invalid option
 */
export function toNodeListener<C = AdapterContext>(
  handler: FetchHandler<C>,
  ...[options = {}]: OptionsFor<IncomingMessage, C>
): NodeListener {
  const serve = createNodeBridge('toNodeListener', handler, options)
  return (anyMessage, anyReply) => {
    const { message, reply } = asHttp1(anyMessage, anyReply)
    serve({ message, reply, host: message, target: message.url })
  }
}

/**
 * HTTP/2 compatibility mode supports everything this package uses of HTTP/1; the bridge checks where they
 * differ.
 */
function asHttp1(
  message: IncomingMessage | Http2ServerRequest,
  reply: ServerResponse | Http2ServerResponse,
): { message: IncomingMessage; reply: ServerResponse } {
  return { message: message as IncomingMessage, reply: reply as ServerResponse }
}
