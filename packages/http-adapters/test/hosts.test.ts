import { createServer, type RequestListener } from 'node:http'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { afterEach, expect, test } from 'vitest'
import { toFetch, type AdapterOptions, type FetchHandler } from '@x/http-adapters'
import { expressHandler } from '@x/http-adapters/express'
import { fastifyPlugin } from '@x/http-adapters/fastify'
import { honoHandler } from '@x/http-adapters/hono'
import { nextHandlers } from '@x/http-adapters/next'
import { toNodeListener } from '@x/http-adapters/node'
import { listen, send, type Running } from './loopback.ts'
import { listenHono } from './mounts.ts'

const running: Running[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

const ask = async (server: Running): Promise<void> => {
  running.push(server)
  await send(server.port)
}

/** Serves one request and gives the framework's own object of it. */
type Serve = (handler: FetchHandler, options: AdapterOptions<unknown>) => Promise<unknown>

const mounts: Record<string, Serve> = {
  async node(handler, options) {
    let host: unknown
    const listener = toNodeListener(handler, options)
    const server = createServer((message, reply) => {
      host = message
      listener(message, reply)
    })
    await ask(await listen(server))
    return host
  },
  async express(handler, options) {
    let host: unknown
    const app = express().use(
      (request, _response, next) => {
        host = request
        next()
      },
      expressHandler(handler, options),
    )
    await ask(await listen(createServer(app as RequestListener)))
    return host
  },
  async fastify(handler, options) {
    let host: unknown
    const app = Fastify({ forceCloseConnections: true })
    app.addHook('onRequest', async (request) => void (host = request))
    await app.register(fastifyPlugin(handler, options))
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    await ask({ origin, port: Number(new URL(origin).port), stop: () => app.close() })
    return host
  },
  async hono(handler, options) {
    let host: unknown
    const app = new Hono().use(
      async (c, next) => {
        host = c
        await next()
      },
      honoHandler(handler, options),
    )
    await ask(await listenHono((request) => app.fetch(request)))
    return host
  },
  async toFetch(handler, options) {
    const host = new Request('http://host.example/')
    await toFetch(handler, options)(host)
    return host
  },
}

/** Hono's functions for bodies that were read before. */
const unasked = {
  arrayBuffer: () => Promise.reject(new Error('not asked for')),
  formData: () => Promise.reject(new Error('not asked for')),
}

test.each(Object.keys(mounts))(
  'AD-8 AD-11 AD-26 context, origin and onError are given the request of %s',
  async (name) => {
    const seen: unknown[] = []
    const host = await mounts[name]?.(() => Promise.reject(new Error('inner')), {
      context: (given, base) => {
        seen.push(given)
        return base
      },
      origin: (given) => {
        seen.push(given)
        return 'https://public.example'
      },
      onError: (_error, info) => void seen.push(info.host),
    })
    expect(host).toBeInstanceOf(Object)
    expect(seen).toHaveLength(3)
    for (const given of seen) expect(given).toBe(host)
  },
)

test('AD-8 the context is made from what the mount knows of the caller', async () => {
  const serve = toFetch((_request, { clientAddress }) => new Response(clientAddress), {
    context: (_host, base) => ({ clientAddress: `made of ${base.clientAddress}` }),
  })
  const answer = await serve(new Request('http://h/'), { remoteAddr: { hostname: '1.2.3.4' } })
  expect(await answer.text()).toBe('made of 1.2.3.4')
})

test('AD-12 AD-25 Hono, Next and toFetch hand over the very request and answer', async () => {
  const request = new Request('http://host.example/', { method: 'POST', body: 'sent' })
  const answer = new Response('answer')
  const seen: Request[] = []
  const handler = (given: Request): Response => {
    seen.push(given)
    return answer
  }
  const context = { req: { raw: request, ...unasked }, env: undefined }
  const options = { bodyLimit: 10 }
  request.headers.set('content-length', '4')
  expect(await honoHandler(handler, options)(context, async () => undefined)).toBe(answer)
  expect(await nextHandlers(handler, options).POST(request)).toBe(answer)
  expect(await toFetch(handler, options)(request)).toBe(answer)
  expect(seen).toHaveLength(3)
  for (const given of seen) expect(given).toBe(request)
})

test('AD-8 the host of Next is the request with the context of its route', async () => {
  const request = new Request('http://host.example/')
  const routeContext = { params: Promise.resolve({}) }
  const seen: unknown[] = []
  const { GET } = nextHandlers(() => new Response(), {
    context: (host, base) => {
      seen.push(host.request, host.routeContext)
      return base
    },
  })
  await GET(request, routeContext)
  expect(seen[0]).toBe(request)
  expect(seen[1]).toBe(routeContext)
})
