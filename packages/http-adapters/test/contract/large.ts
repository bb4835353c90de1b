import { Agent } from 'node:http'
import { smallAndFull } from '@x/test-kit/small-and-full'
import { describe, expect, test } from 'vitest'
import type { Bench, TestHandler } from '../adapter-contract.ts'
import { collectGarbage, deferred, exchange, open, send, turns, until } from '../loopback.ts'

const MIB = 2 ** 20

const chunk = new Uint8Array(64 * 1024).fill(7)

export function largeCases({ serve }: Bench): void {
  describe('large bodies', () => {
    for (const [text, megabytes, options] of smallAndFull(8, 100))
      test(`AD-31.5 ${text} MB up and down with flat memory`, options, async () => {
        const whole = megabytes * MIB
        // Between two measurements, each of which collects garbage.
        const step = whole / 4
        let peak = 0
        const before = memory()
        const { port } = await serve(async (request) => {
          let left = whole
          if (request.method === 'GET') {
            return new Response(
              new ReadableStream(
                {
                  pull(controller) {
                    left -= chunk.length
                    if (left % step === 0) peak = Math.max(peak, memory())
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
            if (size - measured < step) continue
            measured = size
            peak = Math.max(peak, memory())
          }
          return Response.json({ size })
        })

        const up = await fetch(`http://127.0.0.1:${port}/`, {
          method: 'POST',
          body: ReadableStream.from(chunks(whole)),
          duplex: 'half',
        })
        expect(await up.json()).toEqual({ size: whole })

        const down = await fetch(`http://127.0.0.1:${port}/`)
        let size = 0
        for await (const part of down.body ?? []) size += (part as Uint8Array).length
        expect(size).toBe(whole)
        // Far below the body, far above what the collector leaves behind for a while.
        expect(peak - before).toBeLessThan(50 * MIB)
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

    const readings: [name: string, read: TestHandler][] = [
      ['whole', async (request) => new Response(await request.text())],
      ['as a stream', async ({ body }) => new Response(Buffer.concat(await collected(body)))],
    ]

    test.each(readings)('AD-16 exactly as much as the limit fits, read %s', async (_name, read) => {
      const { port } = await serve(read, { bodyLimit: 100 })
      for (const body of ['x'.repeat(100), ['x'.repeat(60), 'x'.repeat(40)]]) {
        expect((await send(port, { method: 'POST', body })).text).toHaveLength(100)
      }
    })

    test.each(readings)(
      'AD-16 what announces too much is refused before it comes, read %s',
      async (_name, read) => {
        const { port } = await serve(read, { bodyLimit: 100 })
        const socket = await open(port)
        socket.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\n\r\n')
        expect(await until(socket, 'bytes"}')).toContain(' 413 ')
        socket.destroy()
      },
    )

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

    test.each([
      ['64 KiB', 64 * 1024, undefined],
      ['large unread body just above', 64 * 1024 + 1, 'close'],
    ])('AD-17 the connection outlives an unread body of %s', async (_name, size, connection) => {
      const { port } = await serve(() => new Response('no', { status: 401 }))
      const agent = new Agent({ keepAlive: true })
      const sent = { method: 'POST', agent }
      const refused = await send(port, { ...sent, body: 'x'.repeat(size) })
      expect(refused.headers.connection === 'close' ? 'close' : undefined).toBe(connection)
      const chunked = await send(port, { ...sent, body: ['x'.repeat(40_000), 'x'.repeat(25_536)] })
      expect(chunked.headers.connection).not.toBe('close')
      agent.destroy()
    })

    test('AD-17 with a large unread body that never comes the socket ends after the response', async () => {
      const { port } = await serve(() => new Response('no', { status: 401 }))
      const answer = await exchange(
        port,
        'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 70000\r\n\r\nsome',
      )
      expect(answer).toContain(' 401 ')
    })

    test('AD-17 a body that is still being read is left to its reader', async () => {
      const read = deferred<string>()
      const { port } = await serve((request) => {
        void request.text().then(read.resolve)
        return new Response('early')
      })
      const socket = await open(port)
      socket.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\nx')
      expect(await until(socket, 'early')).not.toContain('close')
      socket.write('x'.repeat(99_999))
      expect(await read.promise).toHaveLength(100_000)
      socket.destroy()
    })

    test('AD-17 a response may read the body after its first chunks', async () => {
      const { port } = await serve(({ body }) => {
        const parts = async function* (): AsyncGenerator<Uint8Array> {
          for (let at = 0; at < 3; at++) {
            await new Promise((resolve) => setImmediate(resolve))
            yield new Uint8Array(1)
          }
          yield* (body ?? []) as AsyncIterable<Uint8Array>
        }
        return new Response(ReadableStream.from(parts()))
      })
      const { bytes } = await send(port, { method: 'POST', body: 'x'.repeat(200_000) })
      expect(bytes).toHaveLength(200_003)
    })

    test.each([
      ['stops after the response', true],
      ['never starts', false],
    ])('AD-17 a large unread body ends the socket when its reader %s', async (_name, isStarted) => {
      const stop = deferred()
      const { port } = await serve(({ body }) => {
        const reader = body?.getReader()
        if (isStarted)
          void reader?.read().then(async () => stop.promise.then(() => reader.cancel()))
        return new Response('early')
      })
      const socket = await open(port)
      socket.on('error', () => undefined)
      const closed = new Promise((resolve) => socket.once('close', resolve))
      const part = `8000\r\n${'x'.repeat(0x8000)}\r\n`
      socket.write(`POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n${part}`)
      await until(socket, 'early')
      socket.resume().write(part.repeat(20))
      stop.resolve()
      await expect(closed).resolves.toBeTypeOf('boolean')
    })

    test.each([
      ['while the response streams', true],
      ['after the response', false],
    ])('AD-17 a large unread body that comes %s ends the socket', async (_name, isWaiting) => {
      const end = deferred()
      const { port } = await serve(async () => {
        const body = async function* (): AsyncGenerator<Uint8Array> {
          yield chunk.slice(0, 5)
          await new Promise((resolve) => setImmediate(resolve))
          yield chunk.slice(0, 5)
          if (isWaiting) await end.promise
        }
        return new Response(ReadableStream.from(body()))
      })
      const socket = await open(port)
      const closed = new Promise((resolve) => socket.once('close', resolve))
      socket.on('error', () => undefined)
      const part = `8000\r\n${'x'.repeat(0x8000)}\r\n`
      socket.write(`POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n${part}`)
      await until(socket, isWaiting ? '\x07' : '0\r\n\r\n')
      socket.write(part.repeat(20))
      await turns(20)
      end.resolve()
      socket.resume()
      await expect(closed).resolves.toBeTypeOf('boolean')
    })

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

/** Memory in use, without garbage. */
function memory(): number {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

async function* chunks(size: number): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; left -= chunk.length) yield chunk
}

async function collected(body: ReadableStream | null): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = []
  for await (const part of body ?? []) parts.push(part as Uint8Array)
  return parts
}
