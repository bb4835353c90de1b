import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import mount from 'koa-mount'
import { toGenuineRequest, type AdapterOptions } from '@x/http-adapters'
import { expressHandler } from '@x/http-adapters/express'
import { fastifyPlugin } from '@x/http-adapters/fastify'
import { honoHandler } from '@x/http-adapters/hono'
import { koaMiddleware } from '@x/http-adapters/koa'
import { nextHandlers } from '@x/http-adapters/next'
import { toNodeListener } from '@x/http-adapters/node'
import type { AdapterMount, CommonOptions } from './adapter-contract.ts'
import { listen, type Running } from './loopback.ts'

/** Its declarations would bring the types of browsers into the whole workspace. */
const whatwg = createRequire(import.meta.url)('@whatwg-node/server') as {
  createServerAdapter(handle: (request: Request) => Response | Promise<Response>): RequestListener
}

/** The options of the contract, which use nothing of the host, as those of one mount. */
function optionsOf<Host>(options: CommonOptions = {}): AdapterOptions<Host> {
  return options
}

export const nodeMount: AdapterMount = {
  name: 'node',
  kind: 'ours',
  invalidHost: '{"detail":"Invalid Host header"}',
  cancelsHead: true,
  differs: {},
  start: async (handler, options) =>
    listen(createServer(toNodeListener(handler, optionsOf(options)))),
}

export const genuineMount: AdapterMount = {
  ...nodeMount,
  name: 'node with genuine requests',
  start: async (handler, options) => nodeMount.start(handler, { ...options, request: 'genuine' }),
}

export const expressMount: AdapterMount = {
  ...nodeMount,
  name: 'express 5',
  start: async (handler, options, at = '/') => {
    const app = express()
    const [first = '/', rest = '/'] = splitMount(at)
    const router = express.Router().use(rest, expressHandler(handler, optionsOf(options)))
    return listen(createServer(app.use(first, router) as RequestListener))
  },
}

export const express4Mount: AdapterMount = {
  ...nodeMount,
  name: 'express 4',
  start: async (handler, options, at = '/') => {
    const app = express4()
    const [first = '/', rest = '/'] = splitMount(at)
    const router = express4.Router().use(rest, expressHandler(handler, optionsOf(options)))
    return listen(createServer(app.use(first, router) as RequestListener))
  },
}

export const koaMount: AdapterMount = {
  ...nodeMount,
  name: 'koa',
  start: async (handler, options, at = '/') => {
    const [first = '/', rest] = splitMount(at)
    const serve = koaMiddleware(handler, optionsOf(options)) as Koa.Middleware
    const app = new Koa()
    app.use(mount(first, rest === undefined ? serve : mount(rest, serve)))
    const callback = app.callback()
    return listen(createServer((req, res) => void callback(req, res)))
  },
}

export const fastifyMount: AdapterMount = {
  ...nodeMount,
  name: 'fastify',
  differs: {},
  start: async (handler, options, at = '/') => {
    const app = Fastify({ forceCloseConnections: true })
    const plugin = fastifyPlugin(handler, optionsOf(options))
    const [first = '/', rest] = splitMount(at)
    await app.register(
      rest === undefined
        ? plugin
        : async (scope) => {
            await scope.register(plugin, { prefix: rest })
          },
      { prefix: first },
    )
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    return { origin, port: Number(new URL(origin).port), stop: () => app.close() }
  },
}

/** Behaviour of @hono/node-server itself, below our mount and as an oracle. */
const SERVER_OF_HONO = {
  'an absolute-form target': 'it takes the host of the target',
  'OPTIONS * ': 'it refuses a target without a leading slash',
  'without Host': 'it refuses a request without Host',
  'an answer without body': 'it sends an empty body in chunks',
  'the status text': 'it sends the usual one',
  'reason of the signal': 'its reason is a text of its own',
  'a read in progress': 'it has errors of its own for bodies that break off',
  'pipelined behind': 'it listens to a response that hears of no end while it waits',
}

export const honoMount: AdapterMount = {
  name: 'hono',
  kind: 'ours',
  invalidHost: '',
  cancelsHead: true,
  differs: {
    ...SERVER_OF_HONO,
    'large unread body': 'the server under Hono reads on until it is through',
    'a body that fails at once': 'the server under Hono sends the body and asks no onError',
    'an error in mid-stream': 'the server under Hono sends the body and asks no onError',
  },
  start: async (handler, options) => {
    const app = new Hono()
    app.all('*', honoHandler(handler, optionsOf(options)))
    return listenHono((request, env) => app.fetch(request, env))
  },
}

export const nextMount: AdapterMount = {
  ...genuineMount,
  name: 'next',
  differs: {
    'a body that fails at once is reported': 'the server of Next sends it and asks no onError',
    'an error in mid-stream': 'the server of Next sends the body and asks no onError',
    'AD-9': 'Next does not tell the address of the peer',
  },
  start: async (handler, options) => {
    const routes = nextHandlers(handler, optionsOf(options))
    return listen(
      createServer(
        toNodeListener(
          (request) => {
            const { [request.method as 'GET']: route } = routes
            return route(toGenuineRequest(request), { params: Promise.resolve({}) })
          },
          // The server of Next reads targets as URLs.
          { request: 'genuine', dotSegments: 'normalize' },
        ),
      ),
    )
  },
}

export const honoOracle: AdapterMount = {
  name: '@hono/node-server',
  kind: 'oracle',
  invalidHost: '',
  cancelsHead: false,
  differs: {
    ...SERVER_OF_HONO,
    'any one sign': 'it leaves an apostrophe in a query',
    'AD-9': 'it hands over the message of Node instead',
  },
  start: async (handler) => listenHono((request) => handler(request, {})),
}

export const whatwgOracle: AdapterMount = {
  name: '@whatwg-node/server',
  kind: 'oracle',
  invalidHost: '',
  cancelsHead: false,
  differs: {
    'AD-9': 'it hands over the message of Node instead',
    'a target with': 'it joins origin and target as they are',
    'an absolute-form target': 'it joins origin and target as they are',
    'OPTIONS * ': 'it joins origin and target as they are',
    'the Host header': 'it takes every Host as it is',
    'a header sent twice': 'it keeps what node:http keeps',
    'all headers can be read': 'its headers are no Headers of Node',
    'is a Request whatever': 'its request is no Request of Node',
    'HEAD keeps type': 'it reads the body of a HEAD to its end',
    'a deferred answer arrives': 'it sends no length of a body it did not make',
    'a deferred answer that was read': 'it does not answer',
    'a body of one ready chunk': 'it sends no length of a body it did not make',
    'an answer without body': 'it sends an empty body in chunks',
    'a byte order mark': 'it leaves the mark in',
    'AD-31.4 a form': 'it keeps the last of several fields of one name',
    'a second read': 'it gives the body again',
    'clone()': 'it gives the body again',
    'a clone has': 'it gives another body each time',
    'that was looked at can': 'it does not tell that the body was read',
    'headers leave before': 'headers wait for the first chunk',
    'a read in progress': 'it has errors of its own for bodies that break off',
    'reason of the signal': 'its reason is an error of its own',
    'pipelined behind': 'it listens to a response that hears of no end while it waits',
  },
  start: async (handler) =>
    listen(createServer(whatwg.createServerAdapter((request) => handler(request, {})))),
}

/** A path as the two prefixes below which a router of a router is mounted. */
function splitMount(at: string): string[] {
  return at
    .split('/')
    .slice(1)
    .map((segment) => `/${segment}`)
}

/** A server of @hono/node-server that leaves the globals of the process alone. */
export async function listenHono(
  serve: (request: Request, env: object) => Response | Promise<Response>,
): Promise<Running> {
  const listener = getRequestListener(serve, { overrideGlobalObjects: false })
  return listen(createServer((message, reply) => void listener(message, reply)))
}
