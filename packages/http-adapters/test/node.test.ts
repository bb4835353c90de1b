import { createServer, type RequestListener } from 'node:http'
import express from 'express'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { jsonResponse, type AdapterOptions, type FetchHandler } from '@x/http-adapters'
import { expressHandler } from '@x/http-adapters/express'
import { toNodeListener } from '@x/http-adapters/node'
import { deferred, exchange, listen, open, send, settled, until, type Running } from './loopback.ts'

const running: Running[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

const listenTo = async (listener: RequestListener): Promise<number> => {
  const server = await listen(createServer(listener))
  running.push(server)
  return server.port
}
const serve = async (handler: FetchHandler, options?: AdapterOptions<object>): Promise<number> =>
  listenTo(toNodeListener(handler, options))

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}
const ask = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: h\r\n${more}\r\n`

describe('an answer without body (AD-21)', () => {
  test.each([204, 205, 304])('a deferred %s sends none of its body', async (status) => {
    const port = await serve((request) => jsonResponse(request, 'dropped', { status }))
    const received = await exchange(port, ask('/one') + ask('/two', 'Connection: close\r\n'))
    const [, one = '', two = ''] = received.split('HTTP/1.1 ')
    expect([one, two].map((answer) => answer.split('\r\n\r\n')[1])).toEqual(['', ''])
  })

  test('204 has no length, 205 the length 0', async () => {
    const port = await serve(({ url }) => {
      const headers = { 'content-length': '7' }
      return new Response(null, { status: Number(new URL(url).pathname.slice(1)), headers })
    })
    expect((await send(port, { path: '/204' })).headers['content-length']).toBeUndefined()
    const { headers } = await send(port, { path: '/205' })
    expect(headers['content-length']).toBe('0')
    expect(headers['transfer-encoding']).toBeUndefined()
  })

  test('a body of HEAD that cannot be cancelled is no failure', async () => {
    const onError = vi.fn<() => void>()
    const body = new ReadableStream({ cancel: () => Promise.reject(new Error('inner')) })
    const port = await serve(() => new Response(body), { onError })
    expect((await send(port, { method: 'HEAD' })).status).toBe(200)
    await turns(5)
    expect(onError).not.toHaveBeenCalled()
  })
})

test('AD-21 the framing of a body at hand is ours', async () => {
  const port = await serve(
    () =>
      new Response('ready', {
        headers: { 'content-length': '999', 'transfer-encoding': 'chunked' },
      }),
  )
  const { headers, text } = await send(port)
  expect(text).toBe('ready')
  expect(headers['content-length']).toBe('5')
  expect(headers['transfer-encoding']).toBeUndefined()
})

describe('headers of the host (AD-20)', () => {
  const serveExpress = async (
    before: express.RequestHandler,
    handler: FetchHandler,
  ): Promise<number> => listenTo(express().use(before, expressHandler(handler)) as RequestListener)

  test('who wraps writeHead finds the headers of the handler on the reply', async () => {
    const port = await serveExpress(
      (_request, response, next) => {
        response.removeHeader('x-powered-by')
        const writeHead = response.writeHead.bind(response)
        response.writeHead = ((...parts: [number]) => {
          response.setHeader('x-seen', String(response.getHeader('x-own')))
          return writeHead(...parts)
        }) as typeof writeHead
        next()
      },
      () => new Response('', { headers: { 'x-own': 'yes' } }),
    )
    expect((await send(port)).headers['x-seen']).toBe('yes')
  })

  test('they stay when the headers of the handler cannot be sent, which leave nothing', async () => {
    const headers = { 'x-good': '1', 'x-host': 'handler', 'x-bad': 'a\nb' }
    const port = await serveExpress(
      (_request, response, next) => {
        response.setHeader('x-host', 'host')
        next()
      },
      (request) => jsonResponse(request, 1, { headers }),
    )
    const answer = await send(port)
    expect([answer.status, answer.headers['x-host']]).toEqual([500, 'host'])
    expect(answer.headers['x-good']).toBeUndefined()
  })
})

describe('a large unread body (AD-17)', () => {
  test.each<[string, FetchHandler]>([
    ['a text', () => new Response('no', { status: 401 })],
    ['nothing', () => new Response(null, { status: 401 })],
    ['a deferred answer', (request) => jsonResponse(request, 'no', { status: 401 })],
    [
      'headers of its own',
      () => new Response('no', { status: 401, headers: { connection: 'keep-alive' } }),
    ],
  ])('ends the connection behind %s', async (_name, handler) => {
    const port = await serve(handler)
    const { status, headers } = await send(port, { method: 'POST', body: 'x'.repeat(100_000) })
    expect([status, headers.connection]).toEqual([401, 'close'])
  })

  test('is left on the socket while the response streams', async () => {
    const end = deferred()
    let read = (): number => 0
    const listener = toNodeListener(() => {
      const parts = async function* (): AsyncGenerator<string> {
        await end.promise
        yield 'end'
      }
      return new Response(ReadableStream.from(parts()).pipeThrough(new TextEncoderStream()))
    })
    const port = await listenTo((message, reply) => {
      read = () => message.socket.bytesRead
      listener(message, reply)
    })
    const socket = await open(port)
    socket.on('error', () => undefined)
    socket.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\n\r\n')
    await until(socket, '\r\n\r\n')
    for (let at = 0; at < 50; at++) socket.write(Buffer.alloc(1_000_000))
    await turns(200)
    expect(read()).toBeLessThan(2_000_000)
    end.resolve()
    socket.destroy()
  })
})

describe('a client that left (AD-18)', () => {
  test('is known to who asks late, also behind another answer', async () => {
    const late: Request[] = []
    const port = await serve((request) => {
      late.push(request)
      return new Promise<Response>(() => undefined)
    })
    const socket = await open(port)
    socket.write(ask('/one') + ask('/two'))
    await settled(() => late.length === 2)
    socket.resetAndDestroy()
    await turns(50)
    for (const { signal } of late) {
      expect(signal.aborted).toBe(true)
      expect(signal.reason).toMatchObject({ name: 'AbortError' })
    }
  })

  test('after a complete answer has aborted nothing, also for who asks late', async () => {
    const late: Request[] = []
    const port = await serve((request) => {
      late.push(request)
      return new Response('done')
    })
    const socket = await open(port)
    socket.write(ask('/'))
    await until(socket, 'done')
    socket.resetAndDestroy()
    await turns(50)
    expect(late.map(({ signal }) => signal.aborted)).toEqual([false])
  })

  test('gets no answer: its body is cancelled', async () => {
    const called = deferred()
    const left = deferred()
    const cancelled = deferred()
    const onError = vi.fn<() => void>()
    const port = await serve(
      async () => {
        called.resolve()
        await left.promise
        return new Response(new ReadableStream({ cancel: () => cancelled.resolve() }))
      },
      { onError },
    )
    const socket = await open(port)
    socket.write(ask('/'))
    await called.promise
    socket.resetAndDestroy()
    await turns(50)
    left.resolve()
    await cancelled.promise
    expect(onError).not.toHaveBeenCalled()
  })
})

test('AD-24 pipelined requests leave no listener on their socket, and no warning', async () => {
  const onWarning = vi.fn<() => void>()
  process.on('warning', onWarning)
  const counts: number[] = []
  const listener = toNodeListener(async ({ signal }) => {
    await turns(1)
    return new Response(String(signal.aborted))
  })
  const port = await listenTo((message, reply) => {
    counts.push(message.socket.listenerCount('close'))
    listener(message, reply)
  })
  const socket = await open(port)
  socket.write(ask('/').repeat(51))
  await settled(() => counts.length === 51)
  await turns(50)
  socket.write(ask('/after'))
  await settled(() => counts.length === 52)
  expect(counts[51]).toBe(counts[0])
  expect(onWarning).not.toHaveBeenCalled()
  process.off('warning', onWarning)
  socket.destroy()
})
