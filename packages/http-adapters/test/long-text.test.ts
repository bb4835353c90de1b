import { describe, expect, test } from 'vitest'
import { jsonResponse } from '@x/http-adapters'
import { toNodeListener } from '@x/http-adapters/node'
import { open, send, turns } from './loopback.ts'
import { testServers } from './servers.ts'

const { listenTo } = testServers()

describe('AD-21 a long text', () => {
  const text = `a${'😀'.repeat(5_000_000)}`

  /** Serves the text, and counts the turns of the event loop and the bytes given to the socket. */
  async function serveText() {
    const seen = { turns: 0, turnsBefore: [] as number[], written: 0, over: false }
    const listener = toNodeListener((request) => {
      const count = (): void => {
        seen.turns += 1
        if (!seen.over) setImmediate(count)
      }
      setImmediate(count)
      return jsonResponse(request, text)
    })
    const port = await listenTo((message, reply) => {
      const write = reply.write.bind(reply)
      reply.write = (chunk: Uint8Array) => {
        seen.turnsBefore.push(seen.turns)
        seen.written += chunk.length
        return write(chunk)
      }
      reply.on('close', () => (seen.over = true))
      listener(message, reply)
    })
    return { port, seen }
  }

  test('is sent whole, with turns for others between its parts', async () => {
    const { port, seen } = await serveText()
    const received = await send(port)
    expect(received.headers['content-length']).toBe(String(Buffer.byteLength(text) + 2))
    expect(JSON.parse(received.text)).toBe(text)
    expect(seen.turnsBefore.length).toBeGreaterThan(10)
    expect(new Set(seen.turnsBefore).size).toBe(seen.turnsBefore.length)
    const { headers } = await send(port, { method: 'HEAD' })
    expect(headers['content-length']).toBe('20000003')
  })

  test('is encoded as its client takes it, and no further when the client leaves', async () => {
    const { port, seen } = await serveText()
    const socket = await open(port)
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
    await expect.poll(() => seen.written).toBeGreaterThan(0)
    let before = 0
    await expect
      .poll(() => {
        const grown = seen.written - before
        before = seen.written
        return grown
      })
      .toBe(0)
    // What the sockets of both sides hold, and one part.
    expect(seen.written).toBeLessThan(16_000_000)
    socket.destroy()
    await expect.poll(() => seen.over).toBe(true)
    await turns(10)
    expect(seen.written).toBe(before)
  })
})
