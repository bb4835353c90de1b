import { once } from 'node:events'
import { request, type Agent, type IncomingMessage, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A server of a test on a free port of the loopback interface. */
export interface Running {
  readonly port: number
  readonly origin: string
  readonly stop: () => Promise<void>
}

export async function listen(server: Server): Promise<Running> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Uint8Array | readonly (string | Uint8Array)[]
  readonly agent?: Agent
}

export interface Received {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly rawHeaders: readonly string[]
  readonly bytes: Buffer
  readonly text: string
  /** The body as JSON. */
  json(): Record<string, unknown>
}

/** One request as it is given, nothing normalised; a list of chunks is sent chunked. */
export async function send(port: number, sent: Sent = {}): Promise<Received> {
  const { method = 'GET', path = '/', headers = {}, body, agent } = sent
  const outgoing = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    headers,
    agent: agent ?? false,
  })
  if (Array.isArray(body)) {
    for (const chunk of body as readonly (string | Uint8Array)[]) outgoing.write(chunk)
    outgoing.end()
  } else {
    if (body !== undefined) {
      outgoing.setHeader('content-length', Buffer.byteLength(body as string | Uint8Array))
    }
    outgoing.end(body)
  }
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  outgoing.on('error', () => undefined)
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const text = bytes.toString()
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    rawHeaders: incoming.rawHeaders,
    bytes,
    text,
    json: () => JSON.parse(text) as Record<string, unknown>,
  }
}

/** Writes text to a socket and gives all that comes back until the server ends the connection. */
export async function exchange(port: number, text: string): Promise<string> {
  const socket = await open(port)
  let received = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk))
  socket.on('error', () => undefined)
  socket.write(text)
  await once(socket, 'close')
  return received
}

/** A connection of its own, to read and to leave by hand. */
export async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** Reads from a socket until the text has come. */
export async function until(socket: Socket, wanted: string): Promise<string> {
  let received = ''
  while (!received.includes(wanted)) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    received += chunk.toString('latin1')
  }
  return received
}

/** A promise and its ends. */
export function deferred<T = void>(): {
  promise: Promise<T>
  resolve: (value: T) => void
} {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((settle) => (resolve = settle))
  return { promise, resolve }
}

/** Waits for so many turns of the event loop. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Waits for turns of the event loop until the condition holds. */
export async function settled(condition: () => boolean): Promise<void> {
  while (!condition()) await turns(1)
}

setFlagsFromString('--expose-gc')
/** A full collection, in a process that was not started for it. */
export const collectGarbage = runInNewContext('gc') as () => void
