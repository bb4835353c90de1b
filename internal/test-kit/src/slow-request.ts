import { connect, type Socket } from 'node:net'
import { once } from 'node:events'

/** A request whose body its sender has not finished. */
export interface SlowRequest {
  /** Sends the rest of the body, and reads the answer. */
  finish(): Promise<{ readonly status: number; readonly text: string }>
  /** The status of the answer; undefined while there is none. */
  status(): number | undefined
  /** Leaves without it. */
  leave(): void
}

export interface SlowRequestOptions {
  readonly method?: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Does not announce its length. */
  readonly chunked?: boolean
}

/** Sends the head of a request and all of its body but the last character. */
export async function beginSlowRequest(
  url: string,
  { method = 'POST', path, headers, body, chunked = false }: SlowRequestOptions,
): Promise<SlowRequest> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (part: Buffer) => {
    text += part.toString()
  })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const length = chunked
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries({ host, connection: 'close', ...length, ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  socket.write(`${method} ${path} HTTP/1.1\r\n${head}\r\n`)
  send(socket, body.slice(0, -1), chunked)
  const status = (): number | undefined => {
    const found = /^HTTP\/1\.1 (\d+)/.exec(text)?.[1]
    return found === undefined ? undefined : Number(found)
  }
  return {
    async finish() {
      send(socket, body.slice(-1), chunked)
      if (chunked) socket.write('0\r\n\r\n')
      if (!socket.closed) await once(socket, 'close')
      return { status: status() ?? 0, text: text.split('\r\n\r\n').slice(1).join('') }
    },
    status,
    leave: () => void socket.destroy(),
  }
}

function send(socket: Socket, text: string, chunked: boolean): void {
  const size = Buffer.byteLength(text).toString(16)
  socket.write(chunked ? `${size}\r\n${text}\r\n` : text)
}
