import { type IncomingMessage, type RequestListener } from 'node:http'
import { Transform } from 'node:stream'
import compression from 'compression'
import cors from 'cors'
import express from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import multer from 'multer'
import { describe, expect, test } from 'vitest'
import type { BodyError } from '@x/http-adapters'
import { expressHandler } from '@x/http-adapters/express'
import { fastifyPlugin } from '@x/http-adapters/fastify'
import { toNodeListener } from '@x/http-adapters/node'
import { deferred, open, send, settled, until } from './loopback.ts'
import { echo, testServers } from './servers.ts'

const { listenTo: serve } = testServers()
const JSON_TYPE = { 'content-type': 'application/json' }
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe.each([
  ['express 5', express],
  ['express 4', express4 as unknown as typeof express],
])('a body parser of %s in front (AD-15)', (_name, framework) => {
  test('express.json(): an object is written as JSON again', async () => {
    const app = framework().use(framework.json(), expressHandler(echo))
    const port = await serve(app as RequestListener)
    const body = '{"a": [1, "ü"]}'
    expect((await send(port, { method: 'POST', body, headers: JSON_TYPE })).json()).toEqual({
      a: [1, 'ü'],
    })
    const other = { 'content-type': 'text/plain' }
    expect((await send(port, { method: 'POST', body: 'as is', headers: other })).text).toBe('as is')
    expect((await send(port, { method: 'POST', body: '', headers: JSON_TYPE })).text).toBe('')
  })

  test('express.urlencoded(): a form is written as a form again', async () => {
    const app = framework().use(framework.urlencoded({ extended: true }), expressHandler(echo))
    const port = await serve(app as RequestListener)
    const body = 'a=1&a=2&b[c]=x%20y&d[0][e]=z&f=%C3%BC'
    const { text } = await send(port, { method: 'POST', body, headers: FORM })
    expect([...new URLSearchParams(text)]).toEqual([
      ['a', '1'],
      ['a', '2'],
      ['b[c]', 'x y'],
      ['d[0][e]', 'z'],
      ['f', 'ü'],
    ])
  })

  test('express.raw() and express.text(): bytes and text stay as they are', async () => {
    const app = framework()
    app.use('/raw', framework.raw({ type: '*/*' }), expressHandler(echo))
    app.use('/text', framework.text({ type: '*/*' }), expressHandler(echo))
    const port = await serve(app as RequestListener)
    for (const path of ['/raw', '/text']) {
      expect((await send(port, { method: 'POST', path, body: '{"a" :1}' })).text).toBe('{"a" :1}')
    }
  })

  test('the limit holds for a body that was parsed (AD-16)', async () => {
    const app = framework().use(framework.json(), expressHandler(echo, { bodyLimit: 5 }))
    const port = await serve(app as RequestListener)
    const answer = await send(port, { method: 'POST', body: '{"a":1}', headers: JSON_TYPE })
    expect([answer.status, answer.text]).toEqual([422, 'body_too_large'])
    const fits = await send(port, { method: 'POST', body: '[123]', headers: JSON_TYPE })
    expect(fits.text).toBe('[123]')
  })

  test('multer: a consumed multipart stream cannot be had again', async () => {
    const app = framework().use(multer().any(), expressHandler(echo))
    const port = await serve(app as RequestListener)
    const body = '--e\r\nContent-Disposition: form-data; name="f"\r\n\r\nv\r\n--e--\r\n'
    const headers = { 'content-type': 'multipart/form-data; boundary=e' }
    const answer = await send(port, { method: 'POST', body, headers })
    expect([answer.status, answer.text]).toEqual([422, 'body_consumed'])
  })

  test('a lost body that the handler does not answer is a plain 500 (AD-26)', async () => {
    const answerAll = expressHandler(async (request) => new Response(await request.text()))
    const app = framework().use((request, _response, next) => {
      request.resume().once('end', () => next())
    }, answerAll)
    const answer = await send(await serve(app as RequestListener), { method: 'POST', body: 'gone' })
    expect([answer.status, answer.json()]).toEqual([500, { detail: 'Internal Server Error' }])
  })

  test('a drained stream rejects and never hangs', async () => {
    const app = framework().use((request, _response, next) => {
      request.resume().once('end', () => next())
    }, expressHandler(echo))
    const port = await serve(app as RequestListener)
    const answer = await send(port, { method: 'POST', body: 'gone' })
    expect([answer.status, answer.text]).toEqual([422, 'body_consumed'])
    const chunked = await send(port, { method: 'POST', body: ['go', 'ne'] })
    expect([chunked.status, chunked.text]).toEqual([422, 'body_consumed'])
  })

  test('passing on leaves the body to the next handler (AD-7)', async () => {
    const app = framework()
    app.use(expressHandler(echo, { match: () => false }))
    app.use('/in', expressHandler(echo, { basePath: '/elsewhere' }))
    app.use(framework.text({ type: '*/*' }), (request, response) => {
      response.send(`host: ${request.body}`)
    })
    const port = await serve(app as RequestListener)
    for (const path of ['/', '/in']) {
      const headers = { 'content-type': 'text/plain' }
      const answer = await send(port, { method: 'POST', path, body: 'sent', headers })
      expect(answer.text).toBe('host: sent')
    }
  })

  test('headers of the host stay unless the handler sets the same (AD-20)', async () => {
    const app = framework().use(
      cors({ origin: 'https://page.example' }),
      (_request, response, next) => {
        response.setHeader('X-Request-Id', '7').setHeader('X-Both', 'host')
        next()
      },
      expressHandler(() => new Response('', { headers: { 'x-both': 'handler' } })),
    )
    const { headers } = await send(await serve(app as RequestListener))
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://page.example',
      'x-request-id': '7',
      'x-both': 'handler',
    })
  })

  test('with compression in front, whole answers and events arrive (AD-22)', async () => {
    const app = framework().use(compression({ threshold: 0, filter: () => true }))
    app.use(
      '/whole',
      expressHandler(() => new Response('x'.repeat(5000))),
    )
    app.use(
      '/events',
      expressHandler(() => {
        const body = new ReadableStream({
          start: (c) => c.enqueue(new TextEncoder().encode('data: 1\n\n')),
        })
        return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
      }),
    )
    const port = await serve(app as RequestListener)
    const whole = await fetch(`http://127.0.0.1:${port}/whole`)
    expect(whole.headers.get('content-encoding')).not.toBeNull()
    expect(await whole.text()).toBe('x'.repeat(5000))
    const events = await fetch(`http://127.0.0.1:${port}/events`)
    const reader = events.body?.getReader()
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toBe('data: 1\n\n')
    await reader?.cancel()
  })

  test("onError 'host' hands the error to the framework (AD-26)", async () => {
    const app = framework()
    app.use(
      expressHandler(
        () => {
          throw new Error('inner')
        },
        { onError: 'host' },
      ),
    )
    app.use(((error, _request, response, _next) => {
      response.status(599).send(`host: ${(error as Error).message}`)
    }) as express.ErrorRequestHandler)
    const answer = await send(await serve(app as RequestListener))
    expect([answer.status, answer.text]).toEqual([599, 'host: inner'])
  })

  test.each([
    [undefined, '127.0.0.1 http://inner.example/'],
    [true, '1.2.3.4 https://public.example/'],
    ['loopback', '9.9.9.9 https://public.example/'],
  ])("the setting 'trust proxy' %s counts (AD-10)", async (setting, expected) => {
    const app = framework()
    if (setting !== undefined) app.set('trust proxy', setting)
    app.use(
      expressHandler((request, context) => new Response(`${context.clientAddress} ${request.url}`)),
    )
    const headers = {
      host: 'inner.example',
      'x-forwarded-for': '1.2.3.4, 9.9.9.9',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'public.example',
    }
    expect((await send(await serve(app as RequestListener), { headers })).text).toBe(expected)
  })

  test("the option trustProxy goes before the setting 'trust proxy' (AD-10)", async () => {
    const app = framework().set('trust proxy', true)
    app.use(expressHandler(({ url }) => new Response(url), { trustProxy: false }))
    const headers = { host: 'inner.example', 'x-forwarded-host': 'public.example' }
    const { text } = await send(await serve(app as RequestListener), { headers })
    expect(text).toBe('http://inner.example/')
  })
})

describe('node:http', () => {
  test('rawBody of the host takes precedence over body (AD-15)', async () => {
    const listener = toNodeListener(echo)
    const port = await serve((message, reply) => {
      message.resume().once('end', () => {
        const host = message as IncomingMessage & { rawBody?: unknown; body?: unknown }
        host.rawBody = Buffer.from('{ "raw": 1 }')
        host.body = { raw: 1 }
        listener(message, reply)
      })
    })
    const answer = await send(port, { method: 'POST', body: '{ "raw": 1 }', headers: JSON_TYPE })
    expect(answer.text).toBe('{ "raw": 1 }')
  })

  test('the default limit of the listener is 2 ** 30 bytes (AD-16)', async () => {
    const called = deferred()
    const errors: unknown[] = []
    const listener = toNodeListener(async (request) => {
      setImmediate(() => called.resolve())
      errors.push(await request.text().catch((error: BodyError) => error.code))
      return new Response()
    })
    const port = await serve(listener)
    const head = 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: '
    const socket = await open(port)
    socket.write(`${head}${2 ** 30}\r\n\r\nx`)
    await called.promise
    expect(errors).toEqual([])
    socket.write('x')
    socket.destroy()
    const refused = await open(port)
    refused.write(`${head}${2 ** 30 + 1}\r\n\r\nx`)
    await until(refused, '\r\n\r\n')
    refused.destroy()
    await settled(() => errors.length === 2)
    expect(errors).toEqual(expect.arrayContaining(['body_too_large', 'client_gone']))
  })

  test('a path outside the listener is a 404 (AD-7)', async () => {
    const port = await serve(toNodeListener(echo, { basePath: '/scim' }))
    const answer = await send(port, { path: '/other' })
    expect([answer.status, answer.json()]).toEqual([404, { detail: 'Not Found' }])
  })

  test('under Connect, without originalUrl, the url counts (AD-5)', async () => {
    const handler = expressHandler(({ url }) => new Response(new URL(url).pathname))
    const port = await serve((message, reply) => handler(message, reply, () => undefined))
    expect((await send(port, { path: '/a/b' })).text).toBe('/a/b')
  })

  test('two adapters with different options in one server (AD-31.10)', async () => {
    const one = toNodeListener(echo, { bodyLimit: 3 })
    const two = toNodeListener(echo, { bodyLimit: 6 })
    const port = await serve((message, reply) =>
      (message.url === '/one' ? one : two)(message, reply),
    )
    const post = (path: string): ReturnType<typeof send> =>
      send(port, { method: 'POST', path, body: '12345' })
    expect((await post('/one')).text).toBe('body_too_large')
    expect((await post('/two')).text).toBe('12345')
  })
})

describe('fastify', () => {
  test("the host's parsers stay as they are and run for its routes only (AD-15)", async () => {
    const app = Fastify({ forceCloseConnections: true })
    app.post('/host', async (request) => ({ parsed: request.body }))
    await app.register(fastifyPlugin(echo), { prefix: '/ours' })
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const port = Number(new URL(origin).port)
    const sent = { method: 'POST', body: '{ "a":1 }', headers: JSON_TYPE }

    expect((await send(port, { ...sent, path: '/host' })).json()).toEqual({ parsed: { a: 1 } })
    expect((await send(port, { ...sent, path: '/ours/x' })).text).toBe('{ "a":1 }')
    await app.close()
  })

  test('hooks of the host run, its headers are kept, onResponse comes after (AD-20)', async () => {
    const app = Fastify({ forceCloseConnections: true })
    const seen: string[] = []
    app.addHook('onRequest', async (_request, reply) => void reply.header('x-host', 'kept'))
    app.addHook('preHandler', async () => void seen.push('preHandler'))
    app.addHook('onSend', async () => void seen.push('onSend'))
    app.addHook(
      'onResponse',
      async (_request, reply) => void seen.push(`onResponse ${reply.raw.statusCode}`),
    )
    await app.register(
      fastifyPlugin(() => new Response('', { status: 201 })),
      { prefix: '/p' },
    )
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const answer = await send(Number(new URL(origin).port), { path: '/p/x' })
    await app.close()

    expect(answer.headers['x-host']).toBe('kept')
    expect(seen).toEqual(['preHandler', 'onResponse 201'])
  })

  test('passing on goes to the not-found handler, errors to the error handler (AD-7, AD-26)', async () => {
    const app = Fastify({ forceCloseConnections: true })
    app.setNotFoundHandler((_request, reply) => reply.code(404).send('host: not found'))
    app.setErrorHandler((error, _request, reply) =>
      reply.code(599).send(`host: ${(error as Error).message}`),
    )
    await app.register(
      fastifyPlugin(
        () => {
          throw new Error('inner')
        },
        { match: ({ url }) => url.endsWith('/ours'), onError: 'host' },
      ),
    )
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const port = Number(new URL(origin).port)
    const passed = await send(port, { method: 'POST', path: '/other', body: 'x' })
    const failed = await send(port, { path: '/ours' })
    await app.close()
    expect([passed.status, passed.text]).toEqual([404, 'host: not found'])
    expect([failed.status, failed.text]).toEqual([599, 'host: inner'])
  })

  test.each(['text/x-unknown', 'application/json', ''])(
    'content type "%s" reaches the handler',
    async (type) => {
      const app = Fastify({ forceCloseConnections: true })
      await app.register(fastifyPlugin(echo))
      const origin = await app.listen({ port: 0, host: '127.0.0.1' })
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type }
      const answer = await send(Number(new URL(origin).port), {
        method: 'POST',
        body: 'sent',
        headers,
      })
      await app.close()
      expect([answer.status, answer.text]).toEqual([200, 'sent'])
    },
  )

  test('a stream that a hook of the host put over that of the message is read (AD-15)', async () => {
    const app = Fastify({ forceCloseConnections: true })
    app.addHook('preParsing', async (_request, _reply, payload) =>
      payload.pipe(new Transform({ transform: (part, _, done) => done(null, `<${part}>`) })),
    )
    await app.register(fastifyPlugin(echo))
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const port = Number(new URL(origin).port)
    for (const body of ['sent', ['se', 'nt']]) {
      const { text } = await send(port, { method: 'POST', body })
      expect(text.replaceAll('><', '')).toBe('<sent>')
    }
    await app.close()
  })

  test('the handler sees the path before the host rewrote it (AD-5)', async () => {
    const app = Fastify({ rewriteUrl: () => '/rewritten', forceCloseConnections: true })
    await app.register(fastifyPlugin(({ url }) => new Response(new URL(url).pathname)))
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const { text } = await send(Number(new URL(origin).port), { path: '/sent' })
    await app.close()
    expect(text).toBe('/sent')
  })

  test('trustProxy of the host counts (AD-10)', async () => {
    const app = Fastify({ trustProxy: true, forceCloseConnections: true })
    await app.register(
      fastifyPlugin((request, context) => new Response(`${context.clientAddress} ${request.url}`)),
    )
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    const { text } = await send(Number(new URL(origin).port), {
      headers: {
        'x-forwarded-for': '1.2.3.4',
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'public.example',
      },
    })
    await app.close()
    expect(text).toBe('1.2.3.4 https://public.example/')
  })
})
