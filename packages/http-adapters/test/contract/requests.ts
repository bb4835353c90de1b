import { describe, expect, test } from 'vitest'
import type { Bench, TestHandler } from '../adapter-contract.ts'
import { exchange, send } from '../loopback.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Tells in headers what the handler saw, so that HEAD can tell it too. */
const echo: TestHandler = (request, context) =>
  new Response(null, {
    headers: {
      'x-method': request.method,
      'x-url': request.url,
      'x-sent': request.headers.get('x-sent') ?? '',
      'x-authorization': request.headers.get('authorization') ?? '',
      'x-address': context.clientAddress ?? '',
    },
  })

export function requestCases({ mount, serve }: Bench): void {
  describe('requests', () => {
    test.each(METHODS)('AD-31.1 %s keeps method, url, query and headers', async (method) => {
      const { port, origin } = await serve(echo)

      const { status, headers } = await send(port, {
        method,
        path: '/some/path?query=1&query=2',
        headers: { 'X-Sent': 'value' },
      })

      expect(status).toBe(200)
      expect(headers).toMatchObject({
        'x-method': method,
        'x-url': `${origin}/some/path?query=1&query=2`,
        'x-sent': 'value',
      })
    })

    test.each([
      ['percent-encoded', '/a%2Fb/%C3%A9?x=%20y'],
      ['dot segments', '/a/../b/./c/%2e%2e/d'],
      ['dot segments beyond the root', '/../../x'],
      ['forbidden characters', '/a|b"c<d>`{}^?q=\'"<>'],
      ['an empty query', '/x?'],
      ['a backslash', '/a\\b'],
      ['a question mark in the query', '/x?a?b=/../c'],
      ['a colon in the first segment', '/http://other.example/x'],
      ['encoded dot segments', '/a/%2E/b/%2E%2e/c'],
    ])('AD-11 a target with %s is written as URL writes it', async (_name, path) => {
      const { port, origin } = await serve(echo, { dotSegments: 'normalize' })
      expect((await send(port, { path })).headers['x-url']).toBe(new URL(origin + path).href)
    })

    test('AD-11 a target with any one sign is written as URL writes it', async () => {
      const { port, origin } = await serve(echo, { dotSegments: 'normalize' })
      for (const sign of '!"$&\'()*+,-.:;<=>@[\\]^_`{|}~') {
        for (const path of [`/a${sign}b`, `/a?b${sign}c`]) {
          expect((await send(port, { path })).headers['x-url']).toBe(new URL(origin + path).href)
        }
      }
    })

    test('AD-11 two leading slashes stay a path of this host', async () => {
      const { port, origin } = await serve(echo)
      const { headers } = await send(port, { path: '//evil.example/x' })
      expect(headers['x-url']).toBe(`${origin}//evil.example/x`)
    })

    test('AD-11 an absolute-form target contributes path and query only', async () => {
      const { port, origin } = await serve(echo, { dotSegments: 'normalize' })
      for (const [path = '', expected] of [
        ['http://evil.example:1/x?y=1', '/x?y=1'],
        ['HTTP://evil.example/', '/'],
        ['http://evil.example?y=/1', '/?y=/1'],
      ]) {
        expect((await send(port, { path })).headers['x-url']).toBe(`${origin}${expected}`)
      }
    })

    test('AD-11 OPTIONS * is the root', async () => {
      const { port, origin } = await serve(echo)
      const { headers } = await send(port, { method: 'OPTIONS', path: '*' })
      expect(headers['x-url']).toBe(`${origin}/`)
    })

    test.each([
      'a b',
      'user@host',
      'host/path',
      'host?query',
      'host#part',
      'ho\tst',
      'host:99999',
      'host:port',
      '[::1',
      'a\\b',
    ])('AD-11 the Host header %s is refused', async (host) => {
      let isCalled = false
      const { port } = await serve((request) => {
        isCalled = true
        return echo(request, {})
      })

      const answer = await send(port, { headers: { host } })

      expect(answer.status).toBe(400)
      expect(answer.text).toBe(mount.invalidHost)
      expect(isCalled).toBe(false)
    })

    test.each(['EXAMPLE.com', 'example.com:80', '[::1]:8080', '127.0.0.1'])(
      'AD-11 the Host header %s becomes the origin as URL writes it',
      async (host) => {
        const { port } = await serve(echo)
        const { headers } = await send(port, { path: '/x', headers: { host } })
        expect(headers['x-url']).toBe(new URL(`http://${host}/x`).href)
      },
    )

    test('AD-13 a header sent twice is joined, also where node:http keeps the first', async () => {
      const { port } = await serve(echo)
      const { headers } = await send(port, {
        headers: { 'X-Sent': ['one', 'two'], Authorization: ['a', 'b'] },
      })
      expect(headers).toMatchObject({ 'x-sent': 'one, two', 'x-authorization': 'a, b' })
    })

    test('AD-13 all headers can be read, iterated and copied', async () => {
      const { port } = await serve((request) => {
        const { headers } = request
        const copy = new Headers(headers)
        copy.set('x-new', '1')
        return Response.json({
          isHeaders: headers instanceof Headers,
          has: [headers.has('X-SENT'), headers.has('x-none'), headers.get('x-none')],
          empty: [headers.has('x-empty'), headers.get('x-empty')],
          sent: [...headers].filter(([name]) => name === 'x-sent'),
          copied: copy.get('x-sent'),
          isApart: headers.has('x-new'),
          keys: [...headers.keys()].includes('x-sent'),
        })
      })

      expect((await send(port, { headers: { 'X-Sent': 'v', 'X-Empty': '' } })).json()).toEqual({
        isHeaders: true,
        has: [true, false, null],
        empty: [true, ''],
        sent: [['x-sent', 'v']],
        copied: 'v',
        isApart: false,
        keys: true,
      })
    })

    test('AD-9 the client address is the peer', async () => {
      const { port } = await serve(echo)
      expect((await send(port)).headers['x-address']).toBe('127.0.0.1')
    })

    test('AD-31.10 100 pipelined requests are answered in order', async () => {
      const { port } = await serve(async (request) => {
        const { pathname } = new URL(request.url)
        await new Promise((resolve) => setImmediate(resolve))
        return new Response(`<${pathname}>`)
      })
      const line = (index: number, last: boolean): string =>
        `GET /${index} HTTP/1.1\r\nHost: h\r\n${last ? 'Connection: close\r\n' : ''}\r\n`

      const answer = await exchange(
        port,
        Array.from({ length: 100 }, (_, index) => line(index, index === 99)).join(''),
      )

      const order = [...answer.matchAll(/<\/(\d+)>/g)].map((found) => Number(found[1]))
      expect(order).toEqual(Array.from({ length: 100 }, (_, index) => index))
    })

    test('AD-12 a request is a Request whatever is asked of it', async () => {
      const { port } = await serve((request) =>
        Response.json({
          isRequest: request instanceof Request,
          tag: Object.prototype.toString.call(request),
          rest: [request.redirect, request.cache, request.destination],
          same: request.headers === request.headers && request.signal === request.signal,
          aborted: request.signal.aborted,
        }),
      )
      expect((await send(port)).json()).toEqual({
        isRequest: true,
        tag: '[object Request]',
        rest: ['follow', 'default', ''],
        same: true,
        aborted: false,
      })
    })
  })
}

/** Cases that depend on the options of our mounts, or on their place. */
export function gateCases({ serve }: Bench): void {
  describe('gate', () => {
    test.each(['/', '/one', '/one/two'])(
      'AD-5 mounted at %s the handler sees the full path',
      async (at) => {
        const { port, origin } = await serve(echo, {}, at)
        const path = `${at === '/' ? '' : at}/leaf?q=1`

        expect((await send(port, { path })).headers['x-url']).toBe(origin + path)
        expect((await send(port, { path: at })).headers['x-url']).toBe(origin + at)
      },
    )

    test('AD-11 without Host: localhost and the local port', async () => {
      const { port } = await serve(echo)
      const answer = await exchange(port, 'GET /x HTTP/1.0\r\n\r\n')
      expect(answer).toContain(`x-url: http://localhost:${port}/x\r\n`)
    })

    test.each([
      ['/scim', true],
      ['/scim/', true],
      ['/scim/v2/Users?x=1', true],
      ['/scim?x=1', true],
      ['/scimx', false],
      ['/SCIM', false],
      ['/scim%2Fv2', false],
      ['/other/../scim/x', true],
      ['/scim/../other', false],
      ['/', false],
    ])('AD-5 basePath /scim and the path %s: %s', async (path, isServed) => {
      const options = { basePath: '/scim', dotSegments: 'normalize' } as const
      const { port } = await serve(() => new Response('ours'), options)
      expect((await send(port, { path })).text === 'ours').toBe(isServed)
    })

    test('AD-5 basePath is compared as URL writes it', async () => {
      const { port } = await serve(() => new Response('ours'), { basePath: '/é' })
      expect((await send(port, { path: '/%C3%A9/x' })).text).toBe('ours')
      expect((await send(port, { path: '/%C3%A8/x' })).status).toBe(404)
    })

    test('AD-6 match decides after the gate', async () => {
      const seen: string[] = []
      const { port } = await serve(() => new Response('ours'), {
        basePath: '/a',
        match: (request) => {
          seen.push(new URL(request.url).pathname)
          return request.headers.get('x-sent') === 'yes'
        },
      })

      expect((await send(port, { path: '/a', headers: { 'x-sent': 'yes' } })).text).toBe('ours')
      expect((await send(port, { path: '/a' })).status).toBe(404)
      expect((await send(port, { path: '/b' })).status).toBe(404)
      expect(seen).toEqual(['/a', '/a'])
    })

    test.each([
      ['by default', {}],
      ['with trustProxy: false', { trustProxy: false }],
    ])('AD-10 forwarded headers have no effect %s', async (_name, options) => {
      const { port, origin } = await serve(echo, options)
      const { headers } = await send(port, {
        headers: {
          'X-Forwarded-For': '6.6.6.6',
          'X-Forwarded-Proto': 'https',
          'X-Forwarded-Host': 'evil.example',
          Forwarded: 'for=6.6.6.6;proto=https;host=evil.example',
        },
      })
      expect(headers['x-url']).toBe(`${origin}/`)
      expect(headers['x-address']).not.toBe('6.6.6.6')
    })

    test('AD-10 with trust the first value of each counts', async () => {
      const { port } = await serve(echo, { trustProxy: true })
      const { headers } = await send(port, {
        path: '/x',
        headers: {
          'X-Forwarded-For': '1.2.3.4, 10.0.0.1',
          'X-Forwarded-Proto': 'https, http',
          'X-Forwarded-Host': 'public.example, inner',
        },
      })
      expect(headers['x-url']).toBe('https://public.example/x')
      expect(headers['x-address']).toBe('1.2.3.4')
    })

    test('AD-10 a spoofed chain ends at the first address that is not trusted', async () => {
      const { port } = await serve(echo, {
        trustProxy: (address, hop) => hop === 0 || address.startsWith('10.'),
      })
      const { headers } = await send(port, {
        headers: { 'X-Forwarded-For': '6.6.6.6, [2001:db8::1]:4711, 10.0.0.1' },
      })
      expect(headers['x-address']).toBe('2001:db8::1')
    })

    test('AD-10 AD-9 a function is asked for each hop, from the peer on', async () => {
      const asked: [string, number][] = []
      const { port } = await serve(echo, {
        trustProxy: (address, hop) => {
          asked.push([address, hop])
          return address !== '6.6.6.6'
        },
      })
      const headers = { 'X-Forwarded-For': '5.5.5.5, 6.6.6.6, 10.0.0.2, 10.0.0.1' }
      expect((await send(port, { headers })).headers['x-address']).toBe('6.6.6.6')
      expect(asked).toEqual([
        ['127.0.0.1', 0],
        ['10.0.0.1', 1],
        ['10.0.0.2', 2],
        ['6.6.6.6', 3],
      ])
    })

    test('AD-10 no forwarded header counts when the peer is not trusted', async () => {
      const { port, origin } = await serve(echo, { trustProxy: (_address, hop) => hop > 0 })
      const { headers } = await send(port, {
        headers: {
          'X-Forwarded-For': '6.6.6.6',
          'X-Forwarded-Proto': 'https',
          'X-Forwarded-Host': 'evil.example',
        },
      })
      expect(headers['x-url']).toBe(`${origin}/`)
      expect(headers['x-address']).not.toBe('6.6.6.6')
    })

    test('AD-10 invalid addresses and schemes are ignored', async () => {
      const { port } = await serve(echo, { trustProxy: true })
      const { headers } = await send(port, {
        headers: {
          host: 'inner.example',
          'X-Forwarded-For': '6.6.6.6, unknown, 10.0.0.1',
          'X-Forwarded-Proto': 'ftp',
        },
      })
      expect(headers['x-url']).toBe('http://inner.example/')
      expect(headers['x-address']).toBe('10.0.0.1')
    })

    test('AD-10 the handler sees forwarded headers unchanged', async () => {
      const sent = { 'x-forwarded-for': '6.6.6.6, 10.0.0.1', 'x-forwarded-proto': 'https' }
      const { port } = await serve(
        ({ headers }) => Response.json(Object.keys(sent).map((name) => headers.get(name))),
        { trustProxy: true },
      )
      const { text } = await send(port, { headers: sent })
      expect(JSON.parse(text)).toEqual(Object.values(sent))
    })

    test('AD-10 an invalid forwarded host is refused like an invalid Host', async () => {
      const { port } = await serve(echo, { trustProxy: true })
      const { status } = await send(port, { headers: { 'X-Forwarded-Host': 'a b' } })
      expect(status).toBe(400)
    })

    test('AD-11 a fragment is cut', async () => {
      const { port, origin } = await serve(echo, { dotSegments: 'normalize' })
      for (const path of ['/x?y#z', '/"?#z', '/x#z']) {
        const expected = new URL(origin + path.slice(0, -2)).href
        expect((await send(port, { path })).headers['x-url']).toBe(expected)
      }
    })

    test('AD-11 the origin option is written as URL writes it', async () => {
      const { port } = await serve(echo, { origin: 'HTTPS://Public.Example:443/' })
      expect((await send(port)).headers['x-url']).toBe('https://public.example/')
    })

    test('AD-11 the origin option fixes scheme, host and port', async () => {
      const { port } = await serve(echo, { origin: 'https://public.example:8443' })
      const { headers } = await send(port, { path: '/x?y', headers: { host: 'inner' } })
      expect(headers['x-url']).toBe('https://public.example:8443/x?y')
    })

    test('AD-11 with the origin option a body arrives as well', async () => {
      const { port } = await serve(async (request) => new Response(await request.text()), {
        origin: () => 'https://public.example',
      })
      expect((await send(port, { method: 'POST', body: 'sent' })).text).toBe('sent')
    })

    test('AD-8 the context is made once for each request, and may be a promise', async () => {
      let made = 0
      const { port } = await serve((_request, context) => Response.json(context), {
        context: async (_host, base) => {
          made++
          return { ...base, clientAddress: `made ${made}` }
        },
      })
      expect((await send(port)).json()).toEqual({ clientAddress: 'made 1' })
      expect((await send(port)).json()).toEqual({ clientAddress: 'made 2' })
    })
  })
}
