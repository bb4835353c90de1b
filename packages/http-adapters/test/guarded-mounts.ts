import { createServer, type RequestListener } from 'node:http'
import express from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { expressHandler } from '@x/http-adapters/express'
import { fastifyPlugin } from '@x/http-adapters/fastify'
import { honoHandler } from '@x/http-adapters/hono'
import { toNodeListener } from '@x/http-adapters/node'
import { listen } from './loopback.ts'
import { listenHono } from './mounts.ts'

const echo = (request: Request): Response => new Response(`ours ${new URL(request.url).pathname}`)

/** Spellings of `/api/v1/users` that a router of texts does not take for it. */
export const SPELLINGS = [
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
  '/api/v1/users#part',
  '/api/v1/users#?',
]

/** Compares whole paths, so that the path of another spelling is another one. */
export const isGuarded = (url: string): boolean => url.split('?', 1)[0] === '/api/v1/users'

type Options = { readonly dotSegments?: 'pass' | 'normalize' }

/** A handler below `/api` of hosts that guard `/api/v1/users`. */
export const guardedMounts = {
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
      if (isGuarded(request.url)) await reply.code(403).send('guarded')
    })
    await app.register(fastifyPlugin(echo, options), { prefix: '/api' })
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    return { origin, port: Number(new URL(origin).port), stop: () => app.close() }
  },
  node: (options: Options) => {
    const serve = toNodeListener(echo, options)
    return listen(
      createServer((message, reply) => {
        if (isGuarded(message.url ?? '')) reply.writeHead(403).end('guarded')
        else serve(message, reply)
      }),
    )
  },
}

const answer = (): Response => {
  const headers = new Headers({ vary: 'Accept, origin', 'x-both': 'handler', 'x-handler': '1' })
  headers.append('set-cookie', 'b=2')
  headers.append('set-cookie', 'c=3')
  return new Response('ours', { headers })
}
const hostHeaders = { vary: 'Origin', 'x-both': 'host', 'x-host': '1' }
/** Hosts that set headers which the handler sets too. */
export const headerMounts = {
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
