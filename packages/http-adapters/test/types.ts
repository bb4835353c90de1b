import { createServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import express from 'express'
import express4 from 'express4'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Hono, type Context } from 'hono'
import { toFetch, type FetchHandler } from '@x/http-adapters'
import { expressHandler, type ExpressRequest, type ExpressResponse } from '@x/http-adapters/express'
import * as fastify from '@x/http-adapters/fastify'
import { honoHandler, type HonoContext } from '@x/http-adapters/hono'
import { nextHandlers } from '@x/http-adapters/next'
import { toNodeListener } from '@x/http-adapters/node'

interface Optional {
  readonly tenant?: string
}
interface Required {
  readonly tenant: string
}
declare const optional: (request: Request, context?: Optional) => Promise<Response>
declare const required: (request: Request, context: Required) => Promise<Response>
declare const plain: (request: Request) => Response
declare const app: FastifyInstance

/** AD-1: the types of the frameworks fit where ours are asked for. */
export function frameworksFit(
  request5: express.Request,
  response5: express.Response,
  request4: express4.Request,
  instance: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  context: Context,
): unknown[] {
  return [
    request5 satisfies ExpressRequest,
    response5 satisfies ExpressResponse,
    request4 satisfies ExpressRequest,
    instance satisfies fastify.FastifyInstance,
    request satisfies fastify.FastifyRequest,
    reply satisfies fastify.FastifyReply,
    context satisfies HonoContext,
  ]
}

/** AD-1: a mount fits where the framework takes one, and no cast is needed. */
export function mountsFit(): void {
  createServer(toNodeListener(plain))
  createSecureServer({}, toNodeListener(optional))
  express().use('/x', expressHandler(optional))
  express4().use('/x', expressHandler(optional))
  void app.register(fastify.fastifyPlugin(plain), { prefix: '/x' })
  new Hono().all('*', honoHandler(optional))
  nextHandlers(plain).GET satisfies (
    request: Request,
    context: { params: Promise<object> },
  ) => Promise<Response>
}

/** AD-2: `C` comes from the handler; with required members the `context` option is required. */
export function contextIsInferred(): void {
  toFetch((_request, context) => new Response(context.clientAddress))
  toFetch(optional)
  toFetch(required, { context: () => ({ tenant: 'a' }) })
  toFetch(required, { context: async (_host, base) => ({ ...base, tenant: 'a' }) })
  expressHandler(required, { context: ({ ip }: express.Request) => ({ tenant: ip ?? '' }) })
  // @ts-expect-error the handler needs a tenant
  toFetch(required)
  // @ts-expect-error the handler needs a tenant
  expressHandler(required, { basePath: '/x' })
  // @ts-expect-error a tenant is a text
  toNodeListener(required, { context: () => ({ tenant: 1 }) })
  required satisfies FetchHandler<Required>
}
