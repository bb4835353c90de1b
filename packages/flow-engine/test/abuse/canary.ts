import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server on a loopback address that no flow may reach; remembers who came. */
export interface Canary {
  readonly url: string
  readonly port: number
  readonly connections: () => number
  readonly requests: {
    readonly path: string
    readonly headers: IncomingHttpHeaders
    body: string
  }[]
  forget(): void
  close(): Promise<void>
}

/** Listens on `host` and answers everything with a text that must never be shown. */
export async function startCanary(host = '127.0.0.1'): Promise<Canary> {
  let connections = 0
  const requests: Canary['requests'] = []
  const server = createServer((request, response) => {
    const seen = { path: request.url ?? '', headers: request.headers, body: '' }
    requests.push(seen)
    request.on('data', (chunk: Buffer) => (seen.body += chunk.toString()))
    request.on('end', () => response.writeHead(404).end('canary secret'))
  })
  server.on('connection', () => (connections += 1))
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host}:${port}`,
    port,
    connections: () => connections,
    requests,
    forget() {
      connections = 0
      requests.length = 0
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
