import { Agent } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { Bench } from '../adapter-contract.ts'
import { collectGarbage, send } from '../loopback.ts'

const MIB = 2 ** 20

const chunk = new Uint8Array(64 * 1024).fill(7)
const SIZE = 50 * MIB

export function largeCases({ serve }: Bench): void {
  describe('large bodies', () => {
    test('AD-31.5 50 MB up and down with flat memory', async () => {
      let peak = 0
      const before = memory()
      const { port } = await serve(async (request) => {
        let left = SIZE
        if (request.method === 'GET') {
          return new Response(
            new ReadableStream(
              {
                pull(controller) {
                  left -= chunk.length
                  if (left % (10 * MIB) === 0) peak = Math.max(peak, memory())
                  controller.enqueue(chunk.slice())
                  if (left <= 0) controller.close()
                },
              },
              { highWaterMark: 0 },
            ),
          )
        }
        let size = 0
        let measured = 0
        for await (const part of (request.body ?? []) as AsyncIterable<Uint8Array>) {
          size += part.length
          if (size - measured < 10 * MIB) continue
          measured = size
          peak = Math.max(peak, memory())
        }
        return Response.json({ size })
      })

      const up = await fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        body: ReadableStream.from(chunks(SIZE)),
        duplex: 'half',
      })
      expect(await up.json()).toEqual({ size: SIZE })

      const down = await fetch(`http://127.0.0.1:${port}/`)
      let size = 0
      for await (const part of down.body ?? []) size += (part as Uint8Array).length
      expect(size).toBe(SIZE)
      expect(peak - before).toBeLessThan(32 * MIB)
    })

    test.each([
      ['with', 'x'.repeat(101)],
      ['without', ['x'.repeat(60), 'x'.repeat(41)]],
    ])('AD-16 a body over the limit %s Content-Length is 413', async (_name, body) => {
      const { port } = await serve(async (request) => new Response(await request.text()), {
        bodyLimit: 100,
      })
      const answer = await send(port, { method: 'POST', body })
      expect(answer.status).toBe(413)
      expect(answer.json()).toEqual({ detail: 'Request body is larger than 100 bytes' })
      const fits = await send(port, { method: 'POST', body: 'x'.repeat(100) })
      expect(fits.text).toHaveLength(100)
    })

    test('AD-16 the limit holds for a stream, and the handler may answer in its own shape', async () => {
      const { port } = await serve(
        async (request) => {
          let size = 0
          try {
            for await (const part of request.body ?? []) size += (part as Uint8Array).length
          } catch (error) {
            const { code, limit } = error as { code: string; limit: number }
            return Response.json({ code, limit }, { status: 400 })
          }
          return Response.json({ size })
        },
        { bodyLimit: 100 },
      )
      for (const body of ['x'.repeat(101), ['x'.repeat(60), 'x'.repeat(60)]]) {
        const answer = await send(port, { method: 'POST', body })
        expect(answer.status).toBe(400)
        expect(answer.json()).toEqual({ code: 'body_too_large', limit: 100 })
      }
    })

    test('AD-16 a handler that never reads is never preceded by a 413', async () => {
      const { port } = await serve(() => new Response('who are you?', { status: 401 }), {
        bodyLimit: 10,
      })
      expect((await send(port, { method: 'POST', body: 'x'.repeat(50) })).status).toBe(401)
    })

    test.each([
      ['of known length', 'x'.repeat(1000)],
      ['that is chunked', ['x'.repeat(500), 'x'.repeat(500)]],
    ])(
      'AD-17 after a 401 with a small unread body %s the connection is reused',
      async (_name, body) => {
        const { port } = await serve((request) =>
          request.method === 'POST' ? new Response('no', { status: 401 }) : new Response('yes'),
        )
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        let sockets = 0
        agent.on('free', () => sockets++)

        const refused = await send(port, { method: 'POST', body, agent })
        expect(refused.status).toBe(401)
        expect(refused.headers.connection).not.toBe('close')
        expect((await send(port, { agent })).text).toBe('yes')
        agent.destroy()
      },
    )

    test('AD-17 after a 401 with a large unread body the connection closes', async () => {
      const { port } = await serve(() => new Response('no', { status: 401 }))
      const agent = new Agent({ keepAlive: true })
      for (const body of [
        'x'.repeat(500_000),
        Array.from({ length: 50 }, () => 'x'.repeat(10_000)),
      ]) {
        const refused = await send(port, { method: 'POST', body, agent })
        expect(refused.status).toBe(401)
        expect(refused.headers.connection).toBe('close')
      }
      agent.destroy()
    })
  })
}

/** What is in use, garbage left out. */
function memory(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

async function* chunks(size: number): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; left -= chunk.length) yield chunk
}
