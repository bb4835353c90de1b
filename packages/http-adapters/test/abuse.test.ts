import { createServer, type RequestListener } from 'node:http'
import express from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { afterEach, describe, expect, test } from 'vitest'
import { expressHandler } from '@x/http-adapters/express'
import { fastifyPlugin } from '@x/http-adapters/fastify'
import { honoHandler } from '@x/http-adapters/hono'
import { toNodeListener } from '@x/http-adapters/node'
import { listen, send, type Running } from './loopback.ts'
import { listenHono } from './mounts.ts'

const running: Running[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})
const kept = async (starting: Promise<Running>): Promise<Running> => {
  const server = await starting
  running.push(server)
  return server
}

const echo = (request: Request): Response => new Response(`ours ${new URL(request.url).pathname}`)

/** Spellings of `/api/v1/users` that a router of texts does not take for it. */
const SPELLINGS = [
  '/api/x/../v1/users',
  '/api/./v1/users',
  '/api/v1/./users',
  '/api/v1/x/%2e%2E/users',
  '/api/v1/%2e/users',
  '/api\\v1\\users',
  '/api/v1\\users',
  '/api/v1/x\\..\\users?q=1',
  'http://evil.example/api/v1/users',
  '/api/v1/users/..',
  '/api/.%2e/api/v1/users',
]

type Options = { readonly dotSegments?: 'pass' | 'normalize' }

const guarded = {
  'express 5': (options: Options) => {
    const app = express()
    app.use('/api/v1/users', (_request, response) => void response.status(403).send('guarded'))
    app.use('/api', expressHandler(echo, options))
    return listen(createServer(app as RequestListener))
  },
  'express 4': (options: Options) => {
    const app = express4()
    app.use('/api/v1/users', (_request, response) => void response.status(403).send('guarded'))
    app.use('/api', expressHandler(echo, options))
    return listen(createServer(app as RequestListener))
  },
  fastify: async (options: Options) => {
    const app = Fastify({ forceCloseConnections: true })
    app.addHook('onRequest', async (request, reply) => {
      if (request.url.startsWith('/api/v1/users')) await reply.code(403).send('guarded')
    })
    await app.register(fastifyPlugin(echo, options), { prefix: '/api' })
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    return { origin, port: Number(new URL(origin).port), stop: () => app.close() }
  },
  node: (options: Options) => {
    const serve = toNodeListener(echo, options)
    return listen(
      createServer((message, reply) => {
        if (message.url?.startsWith('/api/v1/users') === true) reply.writeHead(403).end('guarded')
        else serve(message, reply)
      }),
    )
  },
}

describe.each(Object.entries(guarded))('AB-20: guards of %s', (_name, start) => {
  test('no spelling of a path reaches behind them', async () => {
    const { port } = await kept(start({}))
    for (const path of SPELLINGS) {
      const { status, text } = await send(port, { path })
      expect([path, text.startsWith('ours')]).toEqual([path, false])
      expect([path, [403, 404].includes(status)]).toEqual([path, true])
    }
  })

  test('what only looks like it is served as before', async () => {
    const { port } = await kept(start({}))
    for (const path of [
      '/api/.well-known/x',
      '/api/v1/..users',
      '/api/a%2Fb',
      '/api//x',
      '/api/x?a=/../b\\',
    ])
      expect([path, (await send(port, { path })).text.startsWith('ours /api')]).toEqual([
        path,
        true,
      ])
  })
})

describe.each(Object.entries(guarded).filter(([name]) => name !== 'node'))(
  'AB-21: a mount of %s that normalizes',
  (_name, start) => {
    test.each([
      '/api/../private',
      '/api/x/../../private',
      '/api/%2e%2e/private',
      '/api\\..\\private',
    ])('%s never leaves it', async (path) => {
      const { port } = await kept(start({ dotSegments: 'normalize' }))
      expect((await send(port, { path })).text).not.toContain('ours')
      expect((await send(port, { path: '/api/x/../y' })).text).toBe('ours /api/y')
    })
  },
)

describe('AB-22: headers of both', () => {
  const answer = (): Response => {
    const headers = new Headers({ vary: 'Accept, origin', 'x-both': 'handler', 'x-handler': '1' })
    headers.append('set-cookie', 'b=2')
    headers.append('set-cookie', 'c=3')
    return new Response('ours', { headers })
  }
  const hostHeaders = { vary: 'Origin', 'x-both': 'host', 'x-host': '1' }
  const mounts = {
    'express 5': () => {
      const app = express()
      app.use((_request, response, next) => {
        response.set(hostHeaders).append('set-cookie', 'a=1')
        next()
      })
      app.use(expressHandler(answer))
      return listen(createServer(app as RequestListener))
    },
    'express 4': () => {
      const app = express4()
      app.use((_request, response, next) => {
        response.set(hostHeaders).append('set-cookie', 'a=1')
        next()
      })
      app.use(expressHandler(answer))
      return listen(createServer(app as RequestListener))
    },
    fastify: async () => {
      const app = Fastify({ forceCloseConnections: true })
      app.addHook('onRequest', async (_request, reply) => {
        reply.headers(hostHeaders).header('set-cookie', 'a=1')
      })
      await app.register(fastifyPlugin(answer))
      const origin = await app.listen({ port: 0, host: '127.0.0.1' })
      return { origin, port: Number(new URL(origin).port), stop: () => app.close() }
    },
    node: () => {
      const serve = toNodeListener(answer)
      return listen(
        createServer((message, reply) => {
          for (const [name, value] of Object.entries(hostHeaders)) reply.setHeader(name, value)
          reply.setHeader('set-cookie', 'a=1')
          serve(message, reply)
        }),
      )
    },
    hono: async () => {
      const app = new Hono()
      app.use('*', async (c, next) => {
        for (const [name, value] of Object.entries(hostHeaders)) c.header(name, value)
        c.header('set-cookie', 'a=1', { append: true })
        await next()
      })
      app.all('*', honoHandler(answer))
      return listenHono((request, env) => app.fetch(request, env))
    },
  }

  test.each(Object.entries(mounts))(
    '%s sends the cookies and the Vary of both',
    async (_name, start) => {
      const { port } = await kept(start())
      const { headers, text } = await send(port, { path: '/x' })
      expect(text).toBe('ours')
      expect(new Set(headers['set-cookie'])).toEqual(new Set(['a=1', 'b=2', 'c=3']))
      const names = String(headers['vary']).toLowerCase().split(/,\s*/).toSorted()
      expect(names).toEqual(['accept', 'origin'])
      expect(headers).toMatchObject({ 'x-both': 'handler', 'x-host': '1', 'x-handler': '1' })
    },
  )
})
