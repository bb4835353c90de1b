import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { Bench } from '../adapter-contract.ts'
import { collectGarbage, deferred, open, send, settled, until } from '../loopback.ts'

const SSE = { 'content-type': 'text/event-stream' }
const encoder = new TextEncoder()
const ask = 'GET /x HTTP/1.1\r\nHost: h\r\n\r\n'

export function streamCases({ serve }: Bench): void {
  describe('streams', () => {
    test('AD-22 headers leave before the first event, an event before the second exists', async () => {
      const first = deferred()
      const second = deferred()
      const { port } = await serve(
        () =>
          new Response(
            ReadableStream.from(
              (async function* () {
                await first.promise
                yield encoder.encode('data: 1\n\n')
                await second.promise
                yield encoder.encode('data: 2\n\n')
              })(),
            ),
            { headers: SSE },
          ),
      )
      const socket = await open(port)
      socket.write(ask)

      expect(await until(socket, '\r\n\r\n')).toContain('text/event-stream')
      first.resolve()
      expect(await until(socket, 'data: 1\n\n')).not.toContain('data: 2')
      second.resolve()
      expect(await until(socket, '0\r\n\r\n')).toContain('data: 2\n\n')
      socket.destroy()
    })

    test('AD-31.7 10,000 events arrive in order, without a listener warning', async () => {
      const warnings: Error[] = []
      const onWarning = (warning: Error): void => void warnings.push(warning)
      process.on('warning', onWarning)
      let index = 0
      const { port } = await serve(
        () =>
          new Response(
            new ReadableStream(
              {
                pull(controller) {
                  controller.enqueue(encoder.encode(`data: ${index}\n\n`))
                  if (++index === 10_000) controller.close()
                },
              },
              { highWaterMark: 0 },
            ),
            { headers: SSE },
          ),
      )
      const { text } = await send(port)
      expect(text.trim().split('\n\n')).toEqual(
        Array.from({ length: 10_000 }, (_, at) => `data: ${at}`),
      )
      process.off('warning', onWarning)
      expect(warnings).toEqual([])
    })

    test('AD-23 a paused client costs at most 8 MiB', async () => {
      let pulled = 0
      const { port } = await serve(
        () =>
          new Response(
            new ReadableStream(
              {
                pull(controller) {
                  const chunk = new Uint8Array(64 * 1024)
                  pulled += chunk.length
                  controller.enqueue(chunk)
                },
              },
              { highWaterMark: 0 },
            ),
          ),
      )
      const before = memoryOfBuffers()
      const socket = await open(port)
      socket.pause()
      socket.write(ask)
      let seen = -1
      // The kernel takes some of it; once nothing moves for many turns, the source is stopped.
      for (let still = 0; still < 200; still = pulled === seen ? still + 1 : 0) {
        seen = pulled
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(pulled).toBeLessThan(32 * 2 ** 20)
      expect(memoryOfBuffers() - before).toBeLessThan(8 * 2 ** 20)
      socket.destroy()
    })

    test('AD-23 a client that leaves an idle stream cancels it once', async () => {
      const cancelled: unknown[] = []
      const { port } = await serve(
        () =>
          new Response(
            new ReadableStream({
              start: (controller) => controller.enqueue(encoder.encode('data: 1\n\n')),
              cancel: (reason) => void cancelled.push(reason),
            }),
            { headers: SSE },
          ),
      )
      const socket = await open(port)
      socket.write(ask)
      await until(socket, 'data: 1')
      socket.destroy()

      await settled(() => cancelled.length > 0)
      await settled(() => true)
      expect(cancelled).toHaveLength(1)
    })

    test('AD-18 the signal aborts when the client leaves while the handler is pending', async () => {
      const called = deferred()
      const aborted = deferred<unknown>()
      let count = 0
      const { port } = await serve(async (request) => {
        request.signal.addEventListener('abort', () => {
          count++
          aborted.resolve(request.signal.reason)
        })
        called.resolve()
        await aborted.promise
        return new Response('too late')
      })
      const socket = await open(port)
      socket.write(ask)
      await called.promise
      socket.destroy()

      await aborted.promise
      expect(count).toBe(1)
    })

    test('AD-18 the reason of the signal is an AbortError', async () => {
      const aborted = deferred<unknown>()
      const { port } = await serve(async ({ signal }) => {
        signal.addEventListener('abort', () => aborted.resolve(signal.reason))
        await aborted.promise
        return new Response('too late')
      })
      const socket = await open(port)
      socket.write(ask)
      socket.end()
      expect(await aborted.promise).toMatchObject({ name: 'AbortError' })
    })

    test('AD-18 AD-23 pipelined behind another answer it hears of the end as well', async () => {
      const isWaiting = deferred()
      const signalled = deferred()
      const cancelled = deferred()
      const { port } = await serve(async (request) => {
        if (request.url.endsWith('/first')) return new Promise<Response>(() => undefined)
        request.signal.addEventListener('abort', () => signalled.resolve())
        if (request.url.endsWith('/last')) return new Promise<Response>(() => undefined)
        return new Response(
          new ReadableStream({
            pull(controller) {
              controller.enqueue(encoder.encode('data: x\n\n'))
              setImmediate(() => isWaiting.resolve())
            },
            cancel: () => cancelled.resolve(),
          }),
        )
      })
      const socket = await open(port)
      for (const path of ['first', 'second', 'last']) {
        socket.write(`GET /${path} HTTP/1.1\r\nHost: h\r\n\r\n`)
      }
      await isWaiting.promise
      socket.destroy()
      expect(await Promise.all([signalled.promise, cancelled.promise])).toHaveLength(2)
    })

    test('AD-18 the signal aborts in a running stream, the stream is cancelled', async () => {
      const aborted = deferred()
      const cancelled = deferred()
      const { port } = await serve((request) => {
        request.signal.addEventListener('abort', () => aborted.resolve())
        return new Response(
          new ReadableStream({
            async pull(controller) {
              await new Promise((resolve) => setImmediate(resolve))
              controller.enqueue(encoder.encode('data: x\n\n'))
            },
            cancel: () => cancelled.resolve(),
          }),
          { headers: SSE },
        )
      })
      const socket = await open(port)
      socket.write(ask)
      await until(socket, 'data: x')
      socket.destroy()
      expect(await Promise.all([aborted.promise, cancelled.promise])).toHaveLength(2)
    })

    test('AD-18 a signal that is first used after the client left is aborted already', async () => {
      const called = deferred()
      const left = deferred()
      const seen = deferred<boolean>()
      const { port } = await serve(async (request) => {
        called.resolve()
        await left.promise
        seen.resolve(request.signal.aborted)
        return new Response('too late')
      })
      const socket = await open(port)
      socket.write(ask)
      await called.promise
      socket.resetAndDestroy()
      await once(socket, 'close')
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
      left.resolve()
      expect(await seen.promise).toBe(true)
    })

    test('AD-18 the signal does not abort after normal completion', async () => {
      const signals: AbortSignal[] = []
      const { port, stop } = await serve((request) => {
        signals.push(request.signal)
        return new Response('done')
      })
      const socket = await open(port)
      socket.write(ask)
      await until(socket, 'done')
      socket.write(ask)
      await until(socket, 'done')
      socket.destroy()
      await stop()
      expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    })

    test('AD-18 a read in progress rejects when the client leaves', async () => {
      const error = deferred<unknown>()
      const called = deferred()
      const { port } = await serve(async (request) => {
        called.resolve()
        error.resolve(await request.text().catch((reason: unknown) => reason))
        return new Response('too late')
      })
      const socket = await open(port)
      socket.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf')
      await called.promise
      socket.destroy()
      expect(await error.promise).toMatchObject({ code: 'client_gone', status: 499 })
    })
  })
}

function memoryOfBuffers(): number {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}
