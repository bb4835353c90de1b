import Fastify from 'fastify'
import { describe, expect, test, vi } from 'vitest'
import type { FetchHandler } from '@x/http-adapters'
import { expressHandler } from '@x/http-adapters/express'
import { fastifyPlugin } from '@x/http-adapters/fastify'
import { deferred, open, send, turns } from './loopback.ts'
import { testServers } from './servers.ts'

const { listenTo, serve } = testServers()

describe('calls of onError (AD-26)', () => {
  /** Leaves while the handler waits; gives what onError was told. */
  const leaveDuring = async (handler: FetchHandler): Promise<unknown[]> => {
    const called = deferred()
    const ended = deferred()
    const told: unknown[] = []
    const port = await serve(
      async (request, context) => {
        called.resolve()
        try {
          return await handler(request, context)
        } finally {
          setImmediate(() => ended.resolve())
        }
      },
      { onError: (error) => void told.push(error) },
    )
    const socket = await open(port)
    socket.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf')
    await called.promise
    socket.resetAndDestroy()
    await ended.promise
    await turns(5)
    return told
  }
  const aborted = async ({ signal }: Request): Promise<void> =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve())
    })

  test.each<[string, FetchHandler]>([
    ['a read that is cut off', async (request) => new Response(await request.text())],
    [
      'the reason of the signal',
      async (request) => {
        await aborted(request)
        throw request.signal.reason
      },
    ],
  ])('%s when the client leaves is no failure', async (_name, handler) => {
    expect(await leaveDuring(handler)).toEqual([])
  })

  test('another error after the client left is one', async () => {
    const boom = new Error('inner')
    const told = await leaveDuring(async (request) => {
      await aborted(request)
      throw boom
    })
    expect(told).toEqual([boom])
  })

  test('an AbortError while the client waits is one', async () => {
    const abort = new DOMException('of another request', 'AbortError')
    const onError = vi.fn<() => void>()
    const port = await serve(() => Promise.reject(abort), { onError })
    expect((await send(port)).status).toBe(500)
    expect(onError).toHaveBeenCalledTimes(1)
  })
})

describe("onError 'host' (AD-26)", () => {
  const failing = async function* (): AsyncGenerator<Uint8Array> {
    await turns(1)
    yield new Uint8Array(5)
    await turns(1)
    throw new Error('inner')
  }

  test('after the headers the error is no longer handed on', async () => {
    const next = vi.fn<() => void>()
    const handler = expressHandler(() => new Response(ReadableStream.from(failing())), {
      onError: 'host',
    })
    const port = await listenTo((message, reply) => handler(message, reply, next))
    await expect(send(port)).rejects.toThrow()
    expect(next).not.toHaveBeenCalled()
  })

  test('an abort by a leaving client is not handed on', async () => {
    const next = vi.fn<() => void>()
    const called = deferred()
    const handler = expressHandler(
      async (request) => {
        called.resolve()
        return new Response(await request.text())
      },
      { onError: 'host' },
    )
    const port = await listenTo((message, reply) => handler(message, reply, next))
    const socket = await open(port)
    socket.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nhalf')
    await called.promise
    socket.resetAndDestroy()
    await turns(20)
    expect(next).not.toHaveBeenCalled()
  })

  test('a framework that fails over it leaves no reply pending (AD-27)', async () => {
    const fail = (): never => {
      throw new Error('boom')
    }
    const handler = expressHandler(fail, { onError: 'host' })
    const port = await listenTo((message, reply) => handler(message, reply, fail))
    await expect(send(port)).rejects.toThrow()
  })

  test('a reply that was taken from Fastify is answered here', async () => {
    const app = Fastify({ forceCloseConnections: true })
    const body = new ReadableStream({ start: (controller) => controller.error(new Error('inner')) })
    await app.register(fastifyPlugin(() => new Response(body), { onError: 'host' }))
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const answer = await send(Number(new URL(origin).port))
    await app.close()
    expect([answer.status, answer.json()]).toEqual([500, { detail: 'Internal Server Error' }])
  })
})
