import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A site that components fetch from. */
export interface Site {
  /** By name: `http://localhost:port`. */
  readonly url: string
  close(): void
}

/** `/echo` tells what it was sent; `/status/N` answers N; `/jump` leads to `/echo`. */
export async function startSite(): Promise<Site> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const status = Number(/^\/status\/(\d+)$/.exec(request.url ?? '')?.[1] ?? 200)
      if (request.url === '/jump') response.writeHead(302, { location: '/echo' })
      else
        response.writeHead(status, { 'content-type': 'application/json', 'set-cookie': 'seen=1' })
      const { method, url, headers } = request
      response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(parts).toString() }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://localhost:${port}`, close: () => void server.close() }
}
