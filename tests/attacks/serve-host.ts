import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'

/** What a program does with the body of a request; the answer is its result as JSON. */
export type HostFunction = (body: string, message: IncomingMessage) => unknown

/**
 * Serves functions by their names, `/health` beside them and what is left to `other`; prints the URL.
 * A function of `streaming` reads the body itself.
 */
export function serveHost(
  functions: Readonly<Record<string, HostFunction>>,
  streaming: Readonly<Record<string, HostFunction>> = {},
  other: RequestListener = (_message, reply) => void reply.writeHead(404).end(),
): void {
  const server = createServer((message, reply) => {
    const name = message.url?.slice(1) ?? ''
    if (name === 'health') return void reply.end('ok')
    const whole = functions[name]
    const parts = streaming[name]
    if (whole === undefined && parts === undefined) return other(message, reply)
    const working = async (): Promise<unknown> =>
      whole === undefined ? parts?.('', message) : whole(await text(message), message)
    working().then(
      (result) => void reply.end(JSON.stringify(result ?? null)),
      (error: unknown) => void reply.writeHead(500).end(String(error)),
    )
  })
  // A connection that waits while the process is busy is no idle one.
  server.keepAliveTimeout = 120_000
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    console.log(`http://127.0.0.1:${port}`)
  })
}
