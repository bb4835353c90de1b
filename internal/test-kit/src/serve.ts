import { createServer, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { AddressInfo } from 'node:net'
import type { FlowService } from '@x/flow-service'

/** Serves a handler on a free port of the loopback address. */
export async function serve(
  handler: FlowService['handler'],
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((message, reply) => {
    const left = new AbortController()
    reply.on('close', () => left.abort())
    const headers = new Headers()
    for (let i = 0; i < message.rawHeaders.length; i += 2) {
      headers.append(message.rawHeaders[i] ?? '', message.rawHeaders[i + 1] ?? '')
    }
    const bodiless = message.method === 'GET' || message.method === 'HEAD'
    const request = new Request(
      `http://${message.headers.host ?? 'localhost'}${message.url ?? '/'}`,
      {
        method: message.method ?? 'GET',
        headers,
        signal: left.signal,
        ...(bodiless ? {} : { body: Readable.toWeb(message) as ReadableStream, duplex: 'half' }),
      },
    )
    reply.on('finish', () => message.resume())
    void send(reply, handler(request, { clientAddress: message.socket.remoteAddress ?? '' }))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function send(reply: ServerResponse, answer: Promise<Response>): Promise<void> {
  const response = await answer
  const headers = new Map<string, string | string[]>(response.headers)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) headers.set('set-cookie', cookies)
  // A client that is still sending would lose the answer with its connection.
  headers.delete('connection')
  reply.writeHead(response.status, Object.fromEntries(headers))
  try {
    for await (const chunk of response.body ?? []) reply.write(chunk)
  } catch {
    // The reader left.
  }
  reply.end()
}
