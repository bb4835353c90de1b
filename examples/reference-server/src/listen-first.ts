import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SettingsError } from './settings/read-settings.ts'

/**
 * Idle connections are closed after this time: longer than the 60 seconds of common load balancers, which
 * would otherwise reuse a connection that is being closed and respond with 502.
 */
const KEEP_ALIVE_MS = 75_000

/** A server that already listens but has no handler yet. */
export interface ListeningServer {
  readonly server: Server
  /** `http://HOST:PORT`, with the actual port. */
  readonly url: string
  /** Starts serving; earlier requests have been waiting for this. */
  readonly mount: (listener: RequestListener) => void
  /** Names the part that is not there yet in answers to probes. */
  readonly waitFor: (part: string) => void
}

/**
 * Listens before anything else is created: absolute URLs need the actual port for PORT=0, and an address in
 * use must stop the start before a superuser is created whose password would be lost.
 * @throws SettingsError if the address is in use, cannot be opened or is not of this machine
 */
export async function listenFirst(host: string, port: number): Promise<ListeningServer> {
  const server = createServer({
    headersTimeout: 60_000,
    requestTimeout: 300_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  const early: Parameters<RequestListener>[] = []
  let missing = 'start'
  server.on('request', (...exchange) => {
    const [{ url }, reply] = exchange
    if (url === '/health/ready') answer(reply, 503, { status: 'not ready', failed: missing })
    // Nothing says how long a part is not there, so the process is known to live.
    else if (url === '/health' && missing !== 'start') answer(reply, 200, { status: 'ok' })
    else early.push(exchange)
  })
  server.listen(port, host)
  await once(server, 'listening').catch((error: unknown) => {
    throw refused(error, `${host}:${port}`)
  })
  const { port: taken } = server.address() as AddressInfo
  const name = host.includes(':') ? `[${host}]` : host
  return {
    server,
    url: `http://${name}:${taken}`,
    waitFor: (part) => void (missing = part),
    mount(listener) {
      server.removeAllListeners('request')
      server.on('request', listener)
      for (const exchange of early.splice(0)) listener(...exchange)
    },
  }
}

/** Reasons why a process cannot listen, and what to do about each. */
const REFUSALS: Readonly<Record<string, (address: string) => string>> = {
  EADDRINUSE: (address) =>
    `PORT: ${address} is already in use (EADDRINUSE), perhaps by an earlier start. Stop that process, or choose another port with PORT=7861 npm start (0: a free one)`,
  EACCES: (address) =>
    `PORT: this user may not listen on ${address} (EACCES). Set PORT to 1024 or higher`,
  EADDRNOTAVAIL: (address) =>
    `HOST: this machine does not have the address of ${address} (EADDRNOTAVAIL). Set HOST to one that it has, or to 0.0.0.0 for all`,
}

function refused(error: unknown, address: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException
  const reason = REFUSALS[code]
  return reason === undefined ? error : new SettingsError(reason(address), { cause: error })
}

/** Answers health probes immediately (OP-13). */
function answer(reply: ServerResponse, status: number, body: object): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  reply.writeHead(status, headers).end(JSON.stringify(body))
}

/** Interval for closing idle connections while the server stops. */
const IDLE_CHECK_MS = 50

/** Stops accepting connections and waits up to `patienceMs` for running requests. */
export async function closeServer(server: Server, patienceMs: number): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  const patience = setTimeout(() => server.closeAllConnections(), patienceMs)
  // Otherwise a keep-alive connection whose request ends now would keep the process running for seconds.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  await closed
  clearTimeout(patience)
  clearInterval(idle)
}
