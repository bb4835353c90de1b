import { createServer } from 'node:http'
import { smallAndFull } from '@x/test-kit/small-and-full'
import { expect, test } from 'vitest'
import { toNodeListener } from '@x/http-adapters/node'
import { collectGarbage, listen, open, settled, until } from './loopback.ts'

for (const [text, streams, options] of smallAndFull(100, 1_000))
  test(`AD-24 nothing survives ${text} aborted streams`, options, async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    let cancelled = 0
    let aborted = 0
    const event = new TextEncoder().encode(`data: ${'x'.repeat(1000)}\n\n`)
    const server = createServer(
      toNodeListener((request) => {
        request.signal.addEventListener('abort', () => void aborted++)
        return new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(event),
            cancel: () => void cancelled++,
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        )
      }),
    )
    const { port, stop } = await listen(server)
    const abortMany = async (count: number): Promise<void> => {
      for (let at = 0; at < count; at += 50) {
        await Promise.all(
          Array.from({ length: 50 }, async () => {
            const socket = await open(port)
            socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n')
            await until(socket, 'data: ')
            socket.destroy()
          }),
        )
      }
    }
    const heap = (): number => {
      collectGarbage()
      return process.memoryUsage().heapUsed
    }

    await abortMany(200)
    await settled(() => cancelled === 200)
    const before = heap()
    await abortMany(streams)
    await settled(() => cancelled === 200 + streams && aborted === 200 + streams)

    const connections = await new Promise((resolve, reject) =>
      server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
    )
    expect(connections).toBe(0)
    // A stream, its sockets and listeners are some 10 KB.
    expect(heap() - before).toBeLessThan(5 * 2 ** 20)
    expect(warnings).toEqual([])
    process.off('warning', onWarning)
    await stop()
  })
