import { once } from 'node:events'
import { connect } from 'node:net'
import type { RawRequest } from './attack.ts'

/** Posts a text of ASCII with each byte in an HTTP chunk of its own. */
export async function sendInBytes(
  url: string,
  body: string,
  { path, headers = {} }: RawRequest,
): Promise<{ readonly status: number; readonly text: string }> {
  const { hostname, port, host } = new URL(url)
  const all = { host, connection: 'close', 'transfer-encoding': 'chunked', ...headers }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let text = ''
  socket.on('data', (part: Buffer) => (text += part.toString()))
  const ended = once(socket, 'close')
  socket.write(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n`)
  for (let at = 0; at < body.length; at += 1_000) {
    const chunks = Array.from(body.slice(at, at + 1_000), (byte) => `1\r\n${byte}\r\n`)
    if (!socket.write(chunks.join(''))) await once(socket, 'drain')
  }
  socket.write('0\r\n\r\n')
  await ended
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }
}
