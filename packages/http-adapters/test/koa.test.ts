import { createServer } from 'node:http'
import { koaMiddleware } from '@x/http-adapters/koa'
import { Router } from '@koa/router'
import Koa, { type Middleware } from 'koa'
import mount from 'koa-mount'
import { afterEach, describe, expect, test } from 'vitest'
import { listen, type Running } from './loopback.ts'

/** Says what it was asked. */
async function echo(request: Request, context: object = {}): Promise<Response> {
  return Response.json({
    method: request.method,
    url: request.url,
    body: await request.text(),
    ...context,
  })
}

describe('HO-38 koaMiddleware', () => {
  const running: Running[] = []
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.stop()))
  })
  async function serve(...middleware: Middleware[]): Promise<string> {
    const app = new Koa()
    for (const one of middleware) app.use(one)
    return await serveApp(app)
  }
  async function serveApp(app: Koa): Promise<string> {
    const callback = app.callback()
    const server = await listen(createServer((req, res) => void callback(req, res)))
    running.push(server)
    return server.origin
  }

  test('sees the original path below koa-mount, nested too', async () => {
    const inner = mount('/b', koaMiddleware(echo, { basePath: '/a/b/scim' }) as Middleware)
    const origin = await serve(mount('/a', inner))
    const answer = await fetch(`${origin}/a/b/scim/Users/?count=1`)
    expect(await answer.json()).toMatchObject({ url: `${origin}/a/b/scim/Users/?count=1` })
  })

  test('sees the original path below a router with a prefix', async () => {
    const router = new Router({ prefix: '/api' })
    router.all('/{*path}', koaMiddleware(echo, { basePath: '/api/flows' }) as never)
    const origin = await serve(router.routes() as Middleware)
    const answer = await fetch(`${origin}/api/flows/1`, { method: 'PUT', body: 'sent' })
    expect(await answer.json()).toMatchObject({ method: 'PUT', url: `${origin}/api/flows/1` })
  })

  test('passes other paths to what comes next, which answers through Koa', async () => {
    let respond: unknown
    const origin = await serve(koaMiddleware(echo, { basePath: '/scim' }), (ctx) => {
      respond = ctx.respond
      ctx.body = 'of the app'
    })
    expect(await (await fetch(`${origin}/other`)).text()).toBe('of the app')
    expect(respond).toBeUndefined()
  })

  test('an error of what comes next reaches Koa', async () => {
    const app = new Koa()
    const errors: unknown[] = []
    app.on('error', (error) => errors.push(error))
    app.use(koaMiddleware(echo, { basePath: '/scim' }))
    app.use(() => Promise.reject(new Error('of the app')))
    const origin = await serveApp(app)
    expect((await fetch(`${origin}/other`)).status).toBe(500)
    expect(errors).toHaveLength(1)
  })

  test('keeps headers that the app has prepared, and lets middleware before it go on', async () => {
    const seen: number[] = []
    const origin = await serve(
      async (ctx, next) => {
        ctx.set('x-of-the-app', 'yes')
        await next()
        seen.push(ctx.status)
      },
      koaMiddleware(() => new Response('made', { status: 201 })),
    )
    const answer = await fetch(origin)
    expect([answer.status, await answer.text()]).toEqual([201, 'made'])
    expect(answer.headers.get('x-of-the-app')).toBe('yes')
    await expect.poll(() => seen).toEqual([201])
  })

  test('gives back a body that the app has parsed', async () => {
    const parse: Middleware = async (ctx, next) => {
      const parts: Buffer[] = []
      for await (const part of ctx.req) parts.push(part as Buffer)
      const request = ctx.request as { body?: unknown }
      request.body = JSON.parse(Buffer.concat(parts).toString()) as unknown
      await next()
    }
    const origin = await serve(parse, koaMiddleware(echo))
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(origin, { method: 'POST', headers, body: '{ "a": [1] }' })
    expect(await answer.json()).toMatchObject({ body: '{"a":[1]}' })
  })

  test.each([
    [true, { clientAddress: '203.0.113.7', url: 'https://app.example/x' }],
    [false, { clientAddress: '127.0.0.1' }],
  ])('with app.proxy %s it believes proxies as the app does', async (proxy, expected) => {
    const app = new Koa({ proxy })
    app.use(koaMiddleware(echo))
    const origin = await serveApp(app)
    const headers = {
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'app.example',
    }
    const answer = (await (await fetch(`${origin}/x`, { headers })).json()) as object
    expect(answer).toMatchObject(proxy ? expected : { ...expected, url: `${origin}/x` })
  })

  test("onError: 'host' leaves the answer to Koa", async () => {
    const app = new Koa()
    const errors: unknown[] = []
    app.on('error', (error) => errors.push(error))
    const failing = (): Response => {
      throw Object.assign(new Error('busy'), { status: 503 })
    }
    app.use(koaMiddleware(failing, { onError: 'host' }))
    const origin = await serveApp(app)
    expect((await fetch(origin)).status).toBe(503)
    expect(errors).toHaveLength(1)
  })

  test('an unknown option is named', () => {
    expect(() => koaMiddleware(echo, { base: '/x' } as never)).toThrow(
      'koaMiddleware: unknown option "base". Known options: basePath, bodyLimit,',
    )
  })
})
