import { describe, expect, test } from 'vitest'
import { BodyError, jsonResponse, toFetch, toGenuineRequest } from '@x/http-adapters'
import { expressHandler } from '@x/http-adapters/express'
import { fastifyPlugin } from '@x/http-adapters/fastify'
import { honoHandler } from '@x/http-adapters/hono'
import { nextHandlers } from '@x/http-adapters/next'
import { toNodeListener } from '@x/http-adapters/node'

const handler = (): Response => new Response('ours')

describe.each([
  ['toFetch', (options: object) => toFetch(handler, options)],
  ['toNodeListener', (options: object) => toNodeListener(handler, options)],
  ['expressHandler', (options: object) => expressHandler(handler, options)],
  ['fastifyPlugin', (options: object) => fastifyPlugin(handler, options)],
  ['honoHandler', (options: object) => honoHandler(handler, options)],
  ['nextHandlers', (options: object) => nextHandlers(handler, options)],
])('%s', (name, create) => {
  test.each([
    ['unknownName', { unknownName: 1 }],
    ['toString', { toString: 1 }],
    ['basePath', { basePath: 'scim' }],
    ['basePath', { basePath: '/scim/' }],
    ['basePath', { basePath: '/scim?x' }],
    ['basePath', { basePath: '/scim#x' }],
    ['basePath', { basePath: ['/scim'] }],
    ['context', { context: {} }],
    ['bodyLimit', { bodyLimit: 0 }],
    ['bodyLimit', { bodyLimit: -1 }],
    ['bodyLimit', { bodyLimit: Number.NaN }],
    ['bodyLimit', { bodyLimit: '1mb' }],
    ['bodyLimit', { bodyLimit: '1' }],
    ['origin', { origin: '/relative' }],
    ['origin', { origin: 'ftp://host' }],
    ['origin', { origin: 'https://host/path' }],
    ['origin', { origin: 'https://user@host' }],
    ['origin', { origin: 'https://host?x' }],
    ['origin', { origin: 'https://host#x' }],
    ['origin', { origin: 'https://host\\x' }],
    ['origin', { origin: 'https://host:99999' }],
    ['origin', { origin: 'https://ho st' }],
    ['match', { match: 'x' }],
    ['onError', { onError: 'framework' }],
    ['request', { request: 'fat' }],
    ['trustProxy', { trustProxy: 1 }],
  ])('AD-4 an invalid %s throws a TypeError that names it: %j', (option, options) => {
    expect(() => create(options)).toThrow(TypeError)
    expect(() => create(options)).toThrow(option)
  })

  test('HO-20 HO-22 the message names the function and the option, and says what to write', () => {
    expect(() => create({ basPath: '/x' })).toThrow(
      `${name}: unknown option "basPath". Did you mean "basePath"?`,
    )
    expect(() => create({ basePath: '/x/' })).toThrow(
      `${name}: option "basePath" must begin with / and not end with /, got '/x/'; write '/x'`,
    )
  })

  test('AD-4 valid options are taken', () => {
    const options = {
      basePath: '/a/b',
      bodyLimit: 1,
      origin: 'https://host:8443',
      trustProxy: true,
    }
    expect(() => create(options)).not.toThrow()
    expect(() => create({ basePath: '/' })).not.toThrow()
    expect(() => create({ basePath: '' })).not.toThrow()
    expect(() => create({ match: undefined, bodyLimit: undefined })).not.toThrow()
  })
})

describe('toFetch', () => {
  test('AD-9 takes the address from Deno and from Bun, absent elsewhere', async () => {
    const serve = toFetch((request, context) => jsonResponse(request, context))
    const ask = async (...platform: unknown[]): Promise<unknown> =>
      (await serve(new Request('http://h/'), ...platform)).json()

    expect(await ask({ remoteAddr: { hostname: '::ffff:1.2.3.4' } })).toEqual({
      clientAddress: '1.2.3.4',
    })
    expect(await ask({ requestIP: () => ({ address: '2001:db8::1' }) })).toEqual({
      clientAddress: '2001:db8::1',
    })
    expect(await ask()).toEqual({})
    expect(await ask({ some: 'binding' })).toEqual({})
  })

  test.each([
    ['1.2.3.4:80', '1.2.3.4'],
    ['::FFFF:1.2.3.4', '1.2.3.4'],
    ['[::ffff:1.2.3.4]:80', '1.2.3.4'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%eth0]:80', 'fe80::1'],
    ['2001:DB8::1', '2001:DB8::1'],
    ['1.2.3.256', undefined],
    ['1.2.3', undefined],
    ['1:2', undefined],
    ['unknown', undefined],
    ['', undefined],
  ])('AD-9 the address %s is told as %s', async (hostname, expected) => {
    const serve = toFetch((request, context) => jsonResponse(request, context))
    const answer = await serve(new Request('http://h/'), { remoteAddr: { hostname } })
    expect(await answer.json()).toEqual(expected === undefined ? {} : { clientAddress: expected })
  })

  test('AD-9 a server of Bun is asked as its own method, with the request', async () => {
    const request = new Request('http://h/')
    const server = {
      known: new Map([[request, '1.2.3.4']]),
      requestIP(asked: Request) {
        return { address: this.known.get(asked) ?? '' }
      },
    }
    const serve = toFetch((_request, { clientAddress }) => new Response(clientAddress))
    expect(await (await serve(request, server)).text()).toBe('1.2.3.4')
    const gone = await serve(request, { requestIP: () => null })
    expect(await gone.text()).toBe('')
  })

  test('AD-10 a trusted proxy may tell either scheme', async () => {
    const serve = toFetch(({ url }) => new Response(url), { trustProxy: true })
    const ask = async (url: string, proto: string): Promise<string> =>
      (await serve(new Request(url, { headers: { 'x-forwarded-proto': proto } }))).text()
    expect(await ask('https://h/', 'http')).toBe('http://h/')
    expect(await ask('http://h/', 'HTTPS')).toBe('https://h/')
  })

  test('AD-16 the default limit of a mount is 2 ** 30 bytes', async () => {
    const serve = toFetch(async (request) => new Response(await request.text()))
    const ask = async (length: number): Promise<number> => {
      const headers = { 'content-length': String(length) }
      return (await serve(new Request('http://h/', { method: 'POST', body: 'x', headers }))).status
    }
    expect(await ask(2 ** 30)).toBe(200)
    expect(await ask(2 ** 30 + 1)).toBe(413)
  })

  test('AD-16 what is over the limit, or stopped by its reader, is cancelled at its source', async () => {
    const reasons: unknown[] = []
    const ask = (): Request =>
      new Request('http://h/', {
        method: 'POST',
        body: new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(10)),
          cancel: (reason) => void reasons.push(reason),
        }),
        duplex: 'half',
      })
    const serve = toFetch(async (request) => new Response(await request.text()), { bodyLimit: 25 })
    expect((await serve(ask())).status).toBe(413)
    const stop = toFetch(async ({ body }) => {
      await body?.cancel('enough')
      return new Response()
    })
    await stop(ask())
    expect(reasons).toEqual([undefined, 'enough'])
  })

  test('AD-15 a body that was read before is handed over as one', async () => {
    const request = new Request('http://h/', { method: 'POST', body: 'read' })
    await request.text()
    const serve = toFetch((given) => new Response(String(given.bodyUsed)))
    expect(await (await serve(request)).text()).toBe('true')
  })

  test('AD-16 a core knows an error of a body that is too large', () => {
    const known = Symbol.for('x.http.body-too-large')
    expect(Reflect.get(new BodyError('body_too_large', 5), known)).toBe(true)
    expect(Reflect.get(new BodyError('client_gone'), known)).toBe(false)
  })

  test('AD-12 passes the genuine object of the platform', async () => {
    const seen: Request[] = []
    const serve = toFetch((request) => {
      seen.push(request)
      return new Response()
    })
    for (const url of ['http://h/', 'https://h:8443/x?y', 'http://h']) {
      const sent = new Request(url)
      await serve(sent)
      expect(seen.at(-1)).toBe(sent)
    }
    const sent = new Request('http://h/')
    expect(toGenuineRequest(sent)).toBe(sent)
  })

  test('AD-7 AD-26 404, 500 and 413 are answered', async () => {
    const serve = toFetch(
      async (request) => {
        if (request.url.endsWith('/boom')) throw new Error('inner')
        return new Response(await request.text())
      },
      { basePath: '/in', bodyLimit: 3 },
    )
    const ask = async (url: string, init?: RequestInit): Promise<unknown[]> => {
      const answer = await serve(new Request(url, init))
      return [answer.status, await answer.text()]
    }
    expect(await ask('http://h/out')).toEqual([404, '{"detail":"Not Found"}'])
    const parts = Reflect.get(await serve(new Request('http://h/out')), Symbol.for('x.http.parts'))
    expect(parts).toBeUndefined()
    expect(await ask('http://h/in/boom')).toEqual([500, '{"detail":"Internal Server Error"}'])
    expect(await ask('http://h/in', { method: 'POST', body: '1234' })).toEqual([
      413,
      '{"detail":"Request body is larger than 3 bytes"}',
    ])
    expect(await ask('http://h/in', { method: 'POST', body: '123' })).toEqual([200, '123'])
  })

  test('AD-14 a genuine request gets a genuine Response', async () => {
    const init = { status: 201, headers: [['x-a', '1']] as [string, string][] }
    const answer = jsonResponse(new Request('http://h/'), { a: 1 }, init)
    expect([answer.status, answer.headers.get('x-a')]).toEqual([201, '1'])
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await answer.json()).toEqual({ a: 1 })
    const headers = { 'Content-Type': 'application/scim+json' }
    const typed = jsonResponse(new Request('http://h/'), 1, { headers })
    expect(typed.headers.get('content-type')).toBe('application/scim+json')
    expect(() => jsonResponse(new Request('http://h/'), undefined)).toThrow(TypeError)
  })

  test('AD-16 a BodyError tells code, status and limit', () => {
    expect(new BodyError('body_too_large', 5)).toMatchObject({ status: 413, limit: 5 })
    expect(new BodyError('body_consumed')).toMatchObject({ status: 500 })
    expect(new BodyError('client_gone')).toMatchObject({ status: 499 })
  })
})

test('HO-20 a service in the place of its handler is told which property to pass', () => {
  expect(() => expressHandler({ handler } as never)).toThrow(
    'expressHandler: the handler must be a function; pass the property handler of the service',
  )
})
