import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that has its address and waits for what it is to serve. */
export interface ListeningServer {
  readonly server: Server
  /** `http://HOST:PORT`, with the port that was really taken. */
  readonly url: string
  /** Serves; requests that came earlier have waited for this. */
  readonly mount: (listener: RequestListener) => void
}

/**
 * Takes the address before anything else is made: the port of PORT=0 is in every absolute address
 * from the first answer on, and an address that is taken stops the start before it has made a
 * superuser whose password nobody would see.
 * @throws the system's error when the address cannot be taken
 */
export async function listenFirst(host: string, port: number): Promise<ListeningServer> {
  const server = createServer({ headersTimeout: 60_000, requestTimeout: 300_000 })
  const early: Parameters<RequestListener>[] = []
  server.on('request', (...exchange) => early.push(exchange))
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

/** How often connections are closed that have become idle while the server stops. */
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
