import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Idle time after which a connection is closed: longer than the 60 seconds of common load balancers, which
 * would otherwise send a request into a connection that is just being closed, and answer 502.
 */
const KEEP_ALIVE_MS = 75_000

/** A server that has its address and waits for what it is to serve. */
export interface ListeningServer {
  readonly server: Server
  /** `http://HOST:PORT`, with the port that was really taken. */
  readonly url: string
  /** Serves; requests that came earlier have waited for this. */
  readonly mount: (listener: RequestListener) => void
}

/**
 * Takes the address before anything else is created: the port of PORT=0 is in every absolute address
 * from the first response on, and an address in use stops the start before it has created a superuser
 * whose password would be lost.
 * @throws the system's error when the address is in use
 */
export async function listenFirst(host: string, port: number): Promise<ListeningServer> {
  const server = createServer({
    headersTimeout: 60_000,
    requestTimeout: 300_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  const early: Parameters<RequestListener>[] = []
  server.on('request', (...exchange) => {
    if (exchange[0].url === '/health/ready') answerStarting(exchange[1])
    else early.push(exchange)
  })
  server.listen(port, host)
  await once(server, 'listening')
  const { port: taken } = server.address() as AddressInfo
  const name = host.includes(':') ? `[${host}]` : host
  return {
    server,
    url: `http://${name}:${taken}`,
    mount(listener) {
      server.removeAllListeners('request')
      server.on('request', listener)
      for (const exchange of early.splice(0)) listener(...exchange)
    },
  }
}

/** Answers probes at once (OP-13). */
function answerStarting(reply: ServerResponse): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  reply.writeHead(503, headers).end('{"status":"not ready","failed":"start"}')
}

/** Interval in which connections that became idle are closed while the server stops. */
const IDLE_CHECK_MS = 50

/** Stops accepting and gives running requests `patienceMs`. */
export async function closeServer(server: Server, patienceMs: number): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  const patience = setTimeout(() => server.closeAllConnections(), patienceMs)
  // Kept alive, a connection whose request ends now would hold the process for seconds.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  await closed
  clearTimeout(patience)
  clearInterval(idle)
}
