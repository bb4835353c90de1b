import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { honoHandler } from '@x/http-adapters/hono'
import { send, turns } from './loopback.ts'
import { listenHono } from './mounts.ts'
import { echo, testServers } from './servers.ts'

const { keep } = testServers()
const serveHono = async (app: Hono): Promise<number> =>
  keep(await listenHono((request, env) => app.fetch(request, env)))

describe('hono', () => {
  test.each([
    ['json', '{"a":1}', 'application/json', '{"a":1}'],
    ['text', 'as it is', 'text/plain', 'as it is'],
    ['parseBody', 'a=1&b=2', 'application/x-www-form-urlencoded', 'a=1&b=2'],
  ] as const)(
    'a body read by c.req.%s() is had again (AD-15)',
    async (how, body, type, expected) => {
      const app = new Hono()
      app.use(async (c, next) => {
        await (how === 'json' ? c.req.json() : how === 'text' ? c.req.text() : c.req.parseBody())
        await next()
      })
      app.all('*', honoHandler(echo))
      const port = await serveHono(app)
      const answer = await send(port, { method: 'POST', body, headers: { 'content-type': type } })
      expect([answer.status, answer.text]).toEqual([200, expected])
    },
  )

  test('AD-21 the body of a response to HEAD is cancelled', async () => {
    let cancelled = 0
    const app = new Hono()
    app.use(async (c, next) => {
      c.header('x-host', '1')
      await next()
    })
    app.all(
      '*',
      honoHandler(() => {
        const body = new ReadableStream({ cancel: () => void (cancelled += 1) })
        return new Response(body, { status: 201, headers: { 'x-ours': '2' } })
      }),
    )
    const port = await serveHono(app)
    const { status, headers, text } = await send(port, { method: 'HEAD' })
    expect([status, headers['x-host'], headers['x-ours'], text]).toEqual([201, '1', '2', ''])
    expect(cancelled).toBe(1)
  })

  const MULTIPART =
    '--edge\r\nContent-Disposition: form-data; name="field"\r\n\r\nvalue\r\n' +
    '--edge\r\nContent-Disposition: form-data; name="file"; filename="f.txt"\r\n' +
    'Content-Type: text/plain\r\n\r\n12345\r\n--edge--\r\n'

  test.each(['parseBody', 'formData'] as const)(
    'a multipart form read by c.req.%s() is had again, files as well (AD-15)',
    async (how) => {
      const app = new Hono()
      app.use(async (c, next) => {
        await c.req[how]()
        await next()
      })
      app.all(
        '*',
        honoHandler(async (request) => {
          const form = await request.formData()
          const file = form.get('file') as File
          return Response.json([form.get('field'), file.name, await file.text()])
        }),
      )
      const headers = { 'content-type': 'multipart/form-data; boundary=edge' }
      const answer = await send(await serveHono(app), { method: 'POST', body: MULTIPART, headers })
      expect(JSON.parse(answer.text)).toEqual(['value', 'f.txt', '12345'])
    },
  )

  test('what was read past Hono rejects when it is read, method, headers and signal stay (AD-15)', async () => {
    const app = new Hono()
    let isSame = false
    app.use(async (c, next) => {
      await c.req.raw.text()
      await next()
    })
    app.all(
      '*',
      honoHandler(async (request) => {
        isSame = request.method === 'PUT' && request.headers.get('x-sent') === 'v'
        return echo(request)
      }),
    )
    const sent = { method: 'PUT', body: 'sent', headers: { 'x-sent': 'v' } }
    const answer = await send(await serveHono(app), sent)
    expect([answer.status, answer.text, isSame]).toEqual([422, 'body_consumed', true])
  })

  test('the request with a body that was read follows the signal of the host (AD-18)', async () => {
    const controller = new AbortController()
    const request = new Request('http://h/', {
      method: 'POST',
      body: 'sent',
      signal: controller.signal,
    })
    const app = new Hono()
    app.use(async (c, next) => {
      await c.req.text()
      await next()
    })
    app.all(
      '*',
      honoHandler(({ signal }) => {
        controller.abort()
        return Response.json(signal.aborted)
      }),
    )
    expect(await (await app.fetch(request)).json()).toBe(true)
  })

  test('headers on the context are merged, next() is called for what is passed on (AD-7, AD-25)', async () => {
    const app = new Hono()
    app.use(async (c, next) => {
      c.res.headers.set('x-host', 'kept')
      await next()
    })
    app.use(honoHandler(() => new Response('ours'), { basePath: '/ours' }))
    app.use(honoHandler(echo, { match: () => false }))
    app.all('*', async (c) => {
      await turns(1)
      return c.text(`host: ${await c.req.text()}`)
    })
    const port = await serveHono(app)
    const ours = await send(port, { path: '/ours/x' })
    expect([ours.text, ours.headers['x-host']]).toEqual(['ours', 'kept'])
    const body = ['in ', 'chunks']
    const passed = await send(port, { method: 'POST', path: '/other', body })
    expect(passed.text).toBe('host: in chunks')
    const stream = ReadableStream.from([new TextEncoder().encode('streamed')])
    const init = { method: 'POST', body: stream, duplex: 'half' as const }
    const direct = await app.fetch(new Request('http://h/other', init))
    expect(await direct.text()).toBe('host: streamed')
  })

  test.each([
    ['Node', { incoming: { socket: { remoteAddress: '::ffff:1.2.3.4' } } }, '1.2.3.4'],
    ['Deno', { remoteAddr: { hostname: '1.2.3.4' } }, '1.2.3.4'],
    ['a server that passes no address', undefined, ''],
  ])('under %s the address is the one it tells (AD-9)', async (_name, env, expected) => {
    const app = new Hono()
    app.all(
      '*',
      honoHandler((_request, { clientAddress }) => new Response(clientAddress)),
    )
    const answer = await app.fetch(new Request('http://h/'), env)
    expect(await answer.text()).toBe(expected)
  })

  test("onError 'host' hands the error to app.onError (AD-26)", async () => {
    const app = new Hono()
    app.all(
      '*',
      honoHandler(
        () => {
          throw new Error('inner')
        },
        { onError: 'host' },
      ),
    )
    app.onError((error, c) => c.text(`host: ${error.message}`, 503))
    const port = await serveHono(app)
    const answer = await send(port)
    expect([answer.status, answer.text]).toEqual([503, 'host: inner'])
  })
})
