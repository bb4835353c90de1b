// Runs each night (.ci/night).
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { toGenuineRequest } from '@x/http-adapters'
import { toNodeListener } from '@x/http-adapters/node'
import { collectGarbage, listen, type Running } from './loopback.ts'

const SIZE = 900_000
const MB = 1024 * 1024

let server: Running | undefined
afterEach(() => server?.stop())

/** Bytes that the process holds, without garbage. */
function held(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Sends a body of `SIZE` one byte at a time, and measures what reading it costs. */
async function attack(read: (request: Request) => Promise<number>) {
  let length = -1
  let highest = 0
  const listener = toNodeListener(async (request) => {
    length = await read(request)
    highest = Math.max(highest, held())
    return new Response('read')
  })
  server = await listen(createServer(listener))
  const before = held()
  const begun = process.cpuUsage()
  const socket = connect(server.port, '127.0.0.1')
  let answer = ''
  socket.on('data', (data: Buffer) => (answer += data.toString('latin1')))
  socket.write(
    `POST / HTTP/1.1\r\nhost: h.example\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n`,
  )
  const piece = Buffer.from('1\r\nx\r\n'.repeat(1000))
  for (let sent = 0; sent < SIZE; sent += 1000) {
    if (sent % 300_000 === 0) highest = Math.max(highest, held())
    if (!socket.write(piece)) await once(socket, 'drain')
    await setImmediate()
  }
  socket.write('0\r\n\r\n')
  await once(socket, 'close')
  const { user, system } = process.cpuUsage(begun)
  return { length, answer, ms: (user + system) / 1000, grown: highest - before }
}

describe('AB-13: a body of 0.9 MB in chunks of one byte is read in linear time, with at most 60 MB', () => {
  const readers: Record<string, (request: Request) => Promise<number>> = {
    'text()': async (request) => (await request.text()).length,
    'a request made of it': async (request) =>
      (await new Request(toGenuineRequest(request)).arrayBuffer()).byteLength,
    'the stream': async (request) => {
      let length = 0
      for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
        length += chunk.length
      }
      return length
    },
  }
  for (const [name, read] of Object.entries(readers)) {
    test(`AB-13 ${name}`, async () => {
      const { length, answer, ms, grown } = await attack(read)
      expect(answer).toMatch(/^HTTP\/1\.1 200/)
      expect(length).toBe(SIZE)
      expect(ms).toBeLessThan(30_000)
      expect(grown).toBeLessThan(60 * MB)
    })
  }
})
