import { createHook } from 'node:async_hooks'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { jsonResponse, type AdapterOptions, type FetchHandler } from '@x/http-adapters'
import { expressHandler } from '@x/http-adapters/express'
import { toNodeListener } from '@x/http-adapters/node'
import { listen, open, send, until, type Running } from './loopback.ts'

const running: Running[] = []
afterEach(async () => {
  vi.unstubAllGlobals()
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

type Listener = (message: IncomingMessage, reply: ServerResponse) => void

const serve = async (listener: Listener): Promise<Running> => {
  const server = await listen(createServer(listener))
  running.push(server)
  return server
}

describe('the plain path', () => {
  /** The objects constructed and the number of promises, from the arrival of a request to its end. */
  const costOf = async (handler: FetchHandler, ask: string) => {
    const built: string[] = []
    let promises = 0
    const hook = createHook({ init: (_id, type) => void (promises += type === 'PROMISE' ? 1 : 0) })
    const listener = toNodeListener(handler)
    let isCounting = false
    const { port } = await serve((message, reply) => {
      reply.once('finish', () => hook.disable())
      if (isCounting) hook.enable()
      listener(message, reply)
    })
    // The origin of a Host header is found out once.
    await send(port, { headers: { host: 'h' } })
    isCounting = true
    const names = ['URL', 'Headers', 'Request', 'Response', 'AbortController', 'ReadableStream']
    for (const name of names) {
      const genuine = Reflect.get(globalThis, name) as new () => object
      const counted = new Proxy(genuine, {
        construct(target, values, self) {
          built.push(name)
          return Reflect.construct(target, values, self) as object
        },
      })
      vi.stubGlobal(name, counted)
    }
    const socket = await open(port)
    const ended = until(socket, '"ok"')
    socket.write(ask)
    const answer = await ended
    socket.destroy()
    return { answer, built, promises }
  }

  test('AD-29 a GET builds nothing and makes no promise', async () => {
    const cost = await costOf(
      (request) => jsonResponse(request, { [request.method]: 'ok' }),
      'GET /x HTTP/1.1\r\nHost: h\r\nX-Sent: v\r\n\r\n',
    )
    expect(cost.answer).toContain('{"GET":"ok"}')
    expect(cost).toMatchObject({ built: [], promises: 0 })
  })

  test('AD-29 a POST builds nothing, its promises are those of the handler and the read', async () => {
    const handler: FetchHandler = async (request) =>
      request.method === 'GET'
        ? new Response()
        : jsonResponse(request, [request.headers.get('x-sent'), await request.json()], {
            status: 201,
          })
    const cost = await costOf(
      handler,
      'POST /x HTTP/1.1\r\nHost: h\r\nX-Sent: v\r\nContent-Length: 4\r\n\r\n"ok"',
    )
    expect(cost.answer).toContain('201 Created')
    // The async function, its await, the read, and what `then` gives back.
    expect(cost.built).toEqual([])
    expect(cost.promises).toBeLessThanOrEqual(4)
  })
})

/** All modules that a source file imports at run time. */
function importsOf(entry: URL, seen = new Set<string>()): Set<string> {
  if (seen.has(entry.href)) return seen
  seen.add(entry.href)
  const lines = /^(?!import type|export type)(?:import|export)\b[^;'"]*?from '([^']+)'/gm
  for (const [, name = ''] of readFileSync(entry, 'utf8').matchAll(lines)) {
    if (name.startsWith('.')) importsOf(new URL(name, entry), seen)
    else seen.add(name)
  }
  return seen
}

test('AD-1 AD-30: sockets are known to the bridge only, under node, Express and Fastify', () => {
  const builtins = (entry: string) =>
    [...importsOf(new URL(`../src/${entry}.ts`, import.meta.url))].filter((name) =>
      name.startsWith('node:'),
    )
  for (const entry of ['index', 'hono', 'next']) expect(builtins(entry)).toEqual([])
  const bridge = builtins('lib/node/node-bridge').toSorted()
  for (const entry of ['node', 'express', 'fastify']) {
    expect(builtins(entry).toSorted()).toEqual(bridge)
  }
})

test('AD-3 listeners return nothing and never throw', async () => {
  const fail = (): never => {
    throw new Error('boom')
  }
  const returned: unknown[] = []
  const settings: AdapterOptions<IncomingMessage>[] = [
    {},
    { onError: fail },
    { context: fail },
    { match: fail },
    { origin: fail },
  ]
  for (const options of settings) {
    const node = toNodeListener(fail, options)
    const express = expressHandler(fail, options)
    const { port } = await serve((message, reply) => {
      returned.push(message.url === '/node' ? node(message, reply) : express(message, reply, fail))
    })
    expect((await send(port, { path: '/node' })).status).toBe(500)
    expect((await send(port, { path: '/express' })).status).toBe(500)
  }
  expect(returned).toEqual(settings.flatMap(() => [undefined, undefined]))
})

describe("what is the host's", () => {
  test('AD-19 an upgrade goes to the host', async () => {
    const handler = vi.fn<FetchHandler>(() => new Response('ours'))
    const server = createServer(toNodeListener(handler))
    server.on('upgrade', (_message, socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: own\r\nConnection: upgrade\r\n\r\n')
    })
    const { port, stop } = await listen(server)
    running.push({ port, origin: '', stop })
    const socket = await open(port)
    socket.write('GET / HTTP/1.1\r\nHost: h\r\nUpgrade: own\r\nConnection: upgrade\r\n\r\n')
    expect(await until(socket, '\r\n\r\n')).toContain('101 Switching')
    expect(handler).not.toHaveBeenCalled()
    socket.destroy()
  })

  test('AD-19 Expect: 100-continue is answered by the server before the handler', async () => {
    const { port } = await serve(
      toNodeListener(async (request) => new Response(`<${await request.text()}>`)),
    )
    const socket = await open(port)
    socket.write('POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n')
    expect(await until(socket, '\r\n\r\n')).toContain('100 Continue')
    socket.write('sent')
    expect(await until(socket, '<sent>')).toContain('200 OK')
    socket.destroy()
  })

  test('AD-19 trailers stay on the message of the host', async () => {
    const listener = toNodeListener(async (request) => new Response(`<${await request.text()}>`))
    let ended: Promise<unknown> | undefined
    let host: IncomingMessage | undefined
    const { port } = await serve((message, reply) => {
      host = message
      ended = once(reply, 'finish')
      listener(message, reply)
    })
    const socket = await open(port)
    socket.write('POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n')
    socket.write('4\r\nsent\r\n0\r\nX-After: yes\r\n\r\n')
    await until(socket, '<sent>')
    await ended
    expect(host?.trailers).toEqual({ 'x-after': 'yes' })
    socket.destroy()
  })
})
