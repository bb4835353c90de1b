import { once } from 'node:events'
import { Agent, type RequestListener } from 'node:http'
import express from 'express'
import { describe, expect, test, vi } from 'vitest'
import { jsonResponse, toGenuineRequest, type FetchHandler } from '@x/http-adapters'
import { expressHandler } from '@x/http-adapters/express'
import { toNodeListener } from '@x/http-adapters/node'
import { deferred, exchange, open, send, settled, turns, until } from './loopback.ts'
import { testServers } from './servers.ts'

const { listenTo, serve } = testServers()

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

  test('a body of HEAD that cannot be cancelled is not a failure', async () => {
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

test('AD-21 a stream is chunked even if the handler sets transfer-encoding', async () => {
  const parts = async function* (): AsyncGenerator<Uint8Array> {
    await turns(3)
    yield Buffer.from('sent')
  }
  const headers = { 'transfer-encoding': 'identity' }
  const port = await serve(() => new Response(ReadableStream.from(parts()), { headers }))
  const answer = await send(port)
  expect([answer.text, answer.headers['transfer-encoding']]).toEqual(['sent', 'chunked'])
})

test('AD-12 the chunks of a body are no Buffers', async () => {
  const port = await serve(async ({ body }) => {
    const { value } = (await body?.getReader().read()) ?? {}
    return new Response(String(Object.getPrototypeOf(value) === Uint8Array.prototype))
  })
  expect((await send(port, { method: 'POST', body: 'sent' })).text).toBe('true')
})

describe('headers of the host (AD-20)', () => {
  const serveExpress = async (
    before: express.RequestHandler,
    handler: FetchHandler,
  ): Promise<number> => listenTo(express().use(before, expressHandler(handler)) as RequestListener)

  test('a wrapper of writeHead finds the headers of the handler on the reply', async () => {
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
    ['a deferred response', (request) => jsonResponse(request, 'no', { status: 401 })],
    [
      'headers of its own',
      () => new Response('no', { status: 401, headers: { connection: 'keep-alive' } }),
    ],
  ])('ends the connection behind %s', async (_name, handler) => {
    const port = await serve(handler)
    const agent = new Agent({ keepAlive: true })
    const sent = { method: 'POST', body: 'x'.repeat(100_000), agent }
    const { status, headers } = await send(port, sent)
    expect([status, headers.connection]).toEqual([401, 'close'])
    agent.destroy()
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
  test('is seen by a signal first used later, also on a pipelined request', async () => {
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
    for (const { signal } of [...late, ...late.map(toGenuineRequest)]) {
      expect(signal.aborted).toBe(true)
      expect(signal.reason).toMatchObject({ name: 'AbortError' })
    }
  })

  test('after a complete answer aborts no signal, also when first used later', async () => {
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

describe('the body of an answer', () => {
  const chunkOf = (size: number): Uint8Array => new Uint8Array(size)
  /** A body of so many chunks, each made when it is asked for. */
  const pulled = (count: number, size: number, onPull = (): void => undefined): ReadableStream =>
    new ReadableStream(
      {
        async pull(controller) {
          onPull()
          await turns(1)
          if (count-- > 0) controller.enqueue(chunkOf(size))
          else controller.close()
        },
      },
      { highWaterMark: 0 },
    )

  test('AD-21 a body at hand leaves in one write with its head', async () => {
    const written: unknown[] = []
    const listener = toNodeListener((request) => jsonResponse(request, 'sent'))
    const port = await listenTo((message, reply) => {
      const write = vi.spyOn(message.socket, 'write')
      reply.once('close', () => {
        written.push(...write.mock.calls.map(([part]) => part).filter((part) => part !== ''))
      })
      listener(message, reply)
    })
    await send(port)
    await settled(() => written.length > 0)
    expect(written).toEqual([expect.stringMatching(/^HTTP.*"sent"$/s)])
  })

  test('AD-26 a body that was already read is a failure', async () => {
    const port = await serve(async () => {
      const answer = new Response('read')
      const reader = answer.body?.getReader()
      while ((await reader?.read())?.done === false);
      reader?.releaseLock()
      return answer
    })
    expect((await send(port)).status).toBe(500)
  })

  test.each([3, 50])('AD-26 one of other length than the 13 announced resets: %s', async (size) => {
    const headers = { 'content-length': '13' }
    const port = await serve(() => new Response(pulled(2, size), { headers }))
    await expect(send(port)).rejects.toThrow()
  })

  test('AD-26 an unwritable body is cancelled at its source', async () => {
    const cancelled = deferred<unknown>()
    const body = new ReadableStream({
      async pull(controller) {
        await turns(1)
        controller.enqueue({ no: 'bytes' })
      },
      cancel: cancelled.resolve,
    })
    const port = await serve(() => new Response(body))
    await expect(send(port)).rejects.toThrow()
    expect(await cancelled.promise).toBeInstanceOf(TypeError)
  })

  test('AD-26 the answer of onError may fail in mid-stream itself', async () => {
    const body = async function* (): AsyncGenerator<Uint8Array> {
      await turns(3)
      yield chunkOf(1)
      await turns(3)
      throw new Error('again')
    }
    const port = await serve(() => Promise.reject(new Error('inner')), {
      onError: () => new Response(ReadableStream.from(body())),
    })
    await expect(send(port)).rejects.toThrow()
  })

  test.each([
    ['text/event-stream; charset=utf-8', 4],
    ['text/plain', 0],
  ])('AD-22 of type %s is flushed %i times in 4 chunks', async (type, times) => {
    const listener = toNodeListener(
      () => new Response(pulled(4, 10), { headers: { 'content-type': type } }),
    )
    const isOwn: boolean[] = []
    const port = await listenTo((message, reply) => {
      const flush = function (this: unknown): void {
        isOwn.push(this === reply)
      }
      listener(message, Object.assign(reply, { flush }))
    })
    await send(port)
    expect(isOwn).toEqual(Array.from({ length: times }, () => true))
  })

  test('AD-22 no chunk is asked for before the socket has taken the last', async () => {
    const pull = vi.fn<(controller: ReadableStreamDefaultController) => void>((controller) => {
      controller.enqueue(chunkOf(2 ** 24))
    })
    const port = await serve(() => new Response(new ReadableStream({ pull }, { highWaterMark: 0 })))
    const socket = await open(port)
    socket.pause().write(ask('/'))
    await settled(() => pull.mock.calls.length > 0)
    await turns(200)
    // The second tells whether the first is the whole body, which has a length then.
    expect(pull).toHaveBeenCalledTimes(2)
    socket.destroy()
  })

  test('AD-23 a client that leaves cancels it in the same turn, even if that fails', async () => {
    let isCancelled = false
    const inTime = deferred<boolean>()
    const listener = toNodeListener(
      () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(chunkOf(5)),
            cancel() {
              isCancelled = true
              return Promise.reject(new Error('inner'))
            },
          }),
        ),
    )
    const port = await listenTo((message, reply) => {
      message.socket.once('close', () => setImmediate(() => inTime.resolve(isCancelled)))
      listener(message, reply)
    })
    const socket = await open(port)
    socket.write(ask('/'))
    await until(socket, '\r\n\r\n')
    socket.resetAndDestroy()
    expect(await inTime.promise).toBe(true)
  })

  test('AD-24 it has one listener each for close, error and drain, and none when it ends', async () => {
    const seen: number[][] = []
    let count = (): void => undefined
    const listener = toNodeListener(() => new Response(pulled(20, 100_000, () => count())))
    const ended = deferred()
    const port = await listenTo((message, reply) => {
      const names = ['close', 'error', 'drain']
      const before = names.map((name) => reply.listenerCount(name))
      count = () => {
        seen.push(names.map((name, at) => reply.listenerCount(name) - (before[at] ?? 0)))
      }
      listener(message, reply)
      reply.once('finish', () => {
        setImmediate(() => {
          count()
          ended.resolve()
        })
      })
    })
    await send(port)
    await ended.promise
    expect(seen.slice(2, -1)).toEqual(Array.from({ length: 19 }, () => [1, 1, 1]))
    expect(seen.at(-1)).toEqual([0, 0, 0])
  })
})

describe('AB-23 pipelined requests', () => {
  test('start a few per turn of the event loop', async () => {
    const started: number[] = []
    let turn = 0
    const port = await serve(() => {
      const now = turn
      if (started.length === 0) setImmediate(() => (turn += 1))
      started[now] = (started[now] ?? 0) + 1
      return new Response('')
    })
    const answers = exchange(port, ask('/').repeat(1999) + ask('/', 'Connection: close\r\n'))
    expect((await answers).split('HTTP/1.1 200').length - 1).toBe(2000)
    // The first is not pipelined.
    expect(started[0]).toBeLessThanOrEqual(17)
  })

  test('wait for responses: a hundred are started, a thousand wait, more close the connection', async () => {
    let started = 0
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    const port = await serve(async () => {
      started += 1
      await released
      return new Response('')
    })
    const patient = await open(port)
    patient.write(ask('/').repeat(1000))
    await settled(() => started >= 101)
    await turns(50)
    expect(started).toBe(101)

    const greedy = await open(port)
    greedy.write(ask('/').repeat(1200))
    await new Promise((resolve) => greedy.once('close', resolve))
    expect(started).toBeLessThanOrEqual(202)

    release()
    let received = ''
    patient.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
    await settled(() => received.split('HTTP/1.1 200').length - 1 === 1000)
    patient.destroy()
  })

  test('wait while their client reads none of the responses before them', async () => {
    let started = 0
    const port = await serve(() => new Response(String((started += 1)).padEnd(400_000)))
    const socket = await open(port)
    socket.pause()
    socket.write(ask('/').repeat(150))
    await settled(() => started >= 17)
    await turns(200)
    // Those of one turn, and as many as the buffers of the kernel take.
    expect(started).toBeLessThan(80)

    let received = ''
    socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
    socket.write(ask('/', 'Connection: close\r\n'))
    socket.resume()
    await once(socket, 'close')
    expect(received.split('HTTP/1.1 200').length - 1).toBe(151)
  })

  test('end with their connection, also while others wait for responses', async () => {
    const signals: AbortSignal[] = []
    const port = await serve(({ signal }) => {
      signals.push(signal)
      return new Promise<Response>(() => undefined)
    })
    const socket = await open(port)
    socket.write(ask('/').repeat(500))
    await settled(() => signals.length === 101)
    socket.destroy()
    await settled(() => signals.every(({ aborted }) => aborted))
    await turns(50)
    expect(signals).toHaveLength(101)
  })
})
