import { type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { jsonResponse, toGenuineRequest, type AdapterOptions } from '@x/http-adapters'
import { toNodeListener } from '@x/http-adapters/node'
import { deferred, exchange, open, send, turns, until } from './loopback.ts'
import { testServers } from './servers.ts'

const { listenTo, serve } = testServers()

/** Serves one POST and gives what was found out about its request. */
const asked = async (
  find: (request: Request) => unknown,
  options?: AdapterOptions<object>,
  headers: Record<string, string | string[]> = {},
): Promise<unknown> => {
  const port = await serve(async (request) => Response.json(await find(request)), options)
  const answer = await send(port, { method: 'POST', path: '/x', body: 'sent', headers })
  return JSON.parse(answer.text)
}

const LEAN = Symbol.for('x.http.lean')
const PARTS = Symbol.for('x.http.parts')
const partsOf = (response: Response): unknown =>
  (response as { [PARTS]?: () => unknown })[PARTS]?.()

describe('a lean request (AD-12)', () => {
  test('tells that it is one, a genuine one does not (AD-14)', async () => {
    const isLean = (request: Request): unknown => Reflect.get(request, LEAN) ?? false
    expect(await asked(isLean)).toBe(true)
    expect(await asked(isLean, { request: 'genuine' })).toBe(false)
    expect(await asked((request) => isLean(toGenuineRequest(request)))).toBe(false)
  })

  test('is copied by new Request once it is genuine', async () => {
    const copied = async (request: Request): Promise<unknown> => {
      const copy = new Request(toGenuineRequest(request))
      return [copy.url === request.url, copy.method, await copy.text(), request.bodyUsed]
    }
    expect(await asked(copied)).toEqual([true, 'POST', 'sent', true])
    expect(await asked(copied, { request: 'genuine' })).toEqual([true, 'POST', 'sent', true])
  })

  test('has one genuine request, which shares headers and what was read', async () => {
    const shared = async (request: Request): Promise<unknown> => {
      await request.text()
      const genuine = toGenuineRequest(request)
      genuine.headers.set('x-sent', 'changed')
      return [
        genuine === toGenuineRequest(request),
        genuine.bodyUsed,
        request.bodyUsed,
        request.headers.get('x-sent'),
      ]
    }
    const headers = { 'x-sent': 'v' }
    expect(await asked(shared, {}, headers)).toEqual([true, true, true, 'changed'])
  })

  test('of GET has no body, whatever the client sent', async () => {
    const port = await serve(async (request) => {
      const { body, method } = toGenuineRequest(request)
      return Response.json([request.body, body, method, await request.text()])
    })
    const answer = await send(port, { body: 'sent' })
    expect(JSON.parse(answer.text)).toEqual([null, null, 'GET', ''])
  })

  test('has been used as soon as it is read', async () => {
    const used = async (request: Request): Promise<unknown> => {
      const reading = request.text()
      const isUsed = request.bodyUsed
      await reading
      return [isUsed, request.bodyUsed]
    }
    expect(await asked(used)).toEqual([true, true])
  })

  test('gives bytes of its own', async () => {
    const found = await asked(async (request) => {
      const bytes = await (request as Request & { bytes(): Promise<Uint8Array> }).bytes()
      const isPlain = Object.getPrototypeOf(bytes) === Uint8Array.prototype
      return [isPlain, bytes.buffer.byteLength, Buffer.from(bytes).toString()]
    })
    expect(found).toEqual([true, 4, 'sent'])
  })

  test('gives an ArrayBuffer of the body alone, in how many parts it may come', async () => {
    const called = deferred()
    const port = await serve(async (request) => {
      const reading = request.arrayBuffer()
      called.resolve()
      return new Response(await reading)
    })
    const socket = await open(port)
    socket.write('POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nse')
    await called.promise
    await turns(5)
    socket.write('nt')
    expect(await until(socket, 'sent')).toContain('content-length: 4')
    socket.destroy()
  })

  test('headers that were set, sent twice or of cookies read like those of Headers (AD-13)', async () => {
    const found = await asked(
      ({ headers }) => {
        const before = ['cookie', 'x-sent'].map((name) => headers.get(name))
        headers.append('x-sent', 'three')
        return [...before, headers.get('cookie'), headers.get('x-sent')]
      },
      {},
      { cookie: ['a=1', 'b=2'], 'x-sent': ['one', 'two'] },
    )
    expect(found).toEqual(['a=1; b=2', 'one, two', 'a=1; b=2', 'one, two, three'])
  })
})

test('AD-13 a cookie sent twice is joined with a semicolon', async () => {
  const port = await serve(({ headers }) => Response.json([headers.get('cookie'), ...headers]))
  const lines = 'Host: h\r\nCookie: a=1\r\nCookie: b=2\r\nConnection: close\r\n'
  const answer = await exchange(port, `GET / HTTP/1.1\r\n${lines}\r\n`)
  expect(answer).toContain('["a=1; b=2",')
  expect(answer).toContain('["cookie","a=1; b=2"]')
})

describe('a deferred response (AD-14)', () => {
  test('has parts until it is used; status and ok do not count', async () => {
    const port = await serve((request) => {
      const refused = jsonResponse(request, 1, { status: 404 })
      expect([refused.status, refused.ok, refused.bodyUsed]).toEqual([404, false, false])
      expect(partsOf(refused)).toEqual({
        status: 404,
        headers: [['content-type', 'application/json']],
        body: '1',
      })
      for (const use of [
        (used: Response) => used.headers,
        (used: Response) => used.body,
        (used: Response) => used.clone(),
        (used: Response) => used.text(),
      ]) {
        const used = jsonResponse(request, 1)
        void use(used)
        expect(partsOf(used)).toBeUndefined()
      }
      return jsonResponse(request, 'ok')
    })
    expect((await send(port)).text).toBe('"ok"')
  })

  test('that was read has been used', async () => {
    const port = await serve(async (request) => {
      const read = jsonResponse(request, 1)
      await read.text()
      return jsonResponse(request, read.bodyUsed)
    })
    expect((await send(port)).text).toBe('true')
  })

  test('is genuine for a genuine request', () => {
    expect(partsOf(jsonResponse(new Request('http://h/'), 1))).toBeUndefined()
  })

  test('may come from other code, by the symbols alone', async () => {
    const port = await serve((request) => {
      expect(Reflect.get(request, LEAN)).toBe(true)
      const headers = [['x-own', 'yes']]
      const parts = { status: 201, headers, body: new Uint8Array([0xc3, 0xbc]) }
      return Object.assign(new Response('not this'), { [PARTS]: () => parts })
    })
    const { status, headers, text } = await send(port)
    expect([status, headers['x-own'], headers['content-length'], text]).toEqual([
      201,
      'yes',
      '2',
      'ü',
    ])
  })

  test('of no body has the length 0', async () => {
    const parts = { status: 200, headers: [], body: null }
    const port = await serve(() => Object.assign(new Response(), { [PARTS]: () => parts }))
    const { headers } = await send(port)
    expect(headers['content-length']).toBe('0')
  })
})

test('AD-20 a Response of another realm is one', async () => {
  const port = await serve(() => {
    const { status, statusText, bodyUsed, headers, body } = new Response('other', { status: 202 })
    const other = { status, statusText, bodyUsed, headers, body, [Symbol.toStringTag]: 'Response' }
    return other as unknown as Response
  })
  const answer = await send(port)
  expect([answer.status, answer.text]).toEqual([202, 'other'])
})

describe('routing of requests (AD-11)', () => {
  test('a Host that is not ASCII is refused', async () => {
    const port = await serve(() => new Response('ours'))
    expect((await send(port, { headers: { host: 'h\xf6st' } })).status).toBe(400)
  })

  test('an empty Host is localhost with the local port', async () => {
    const port = await serve(({ url }) => new Response(url))
    const answer = await exchange(port, 'GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n')
    expect(answer).toContain(`http://localhost:${port}/`)
  })

  test('what is not for the mount is passed on whatever its Host (AD-5)', async () => {
    const port = await serve(() => new Response('ours'), { basePath: '/a' })
    expect((await send(port, { path: '/b', headers: { host: 'a b' } })).status).toBe(404)
    expect((await send(port, { path: '/a', headers: { host: 'a b' } })).status).toBe(400)
  })

  test('a target in which the host has put other signs is written as URL writes it', async () => {
    const listener = toNodeListener(({ url }) => new Response(url), { dotSegments: 'normalize' })
    for (const target of ['/x?ü', 'x?ü']) {
      const port = await listenTo((message, reply) => {
        listener(Object.assign(message, { url: target }), reply)
      })
      expect((await send(port)).text).toBe(`http://127.0.0.1:${port}/x?%C3%BC`)
    }
  })

  test('a method that no Request can have is refused', async () => {
    const port = await serve(() => new Response('ours'))
    const answer = await send(port, { method: 'TRACE' })
    expect([answer.status, answer.json()]).toEqual([405, { detail: 'Method Not Allowed' }])
    expect(answer.headers.allow).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
  })
})

describe('a body that the host has read (AD-15)', () => {
  /** The body that the handler reads if the host has read the message and left `kept` on it. */
  const readBehind = async (kept: object, type = 'text/plain'): Promise<string> => {
    const listener = toNodeListener(async (request) => new Response(await request.text()))
    const port = await listenTo((message, reply) => {
      message.resume().once('end', () => {
        listener(Object.assign(message, kept), reply)
      })
    })
    const headers = { 'content-type': type }
    return (await send(port, { method: 'POST', body: 'sent', headers })).text
  }
  const FORM = 'application/x-www-form-urlencoded; charset=utf-8'

  test.each<[string, object, string | undefined, string]>([
    ['a rawBody of text', { rawBody: '{ }', body: {} }, undefined, '{ }'],
    ['a rawBody of bytes', { rawBody: new Uint8Array([65, 66]), body: {} }, undefined, 'AB'],
    ['a parsed form', { body: { a: '1', b: null, c: [] } }, FORM, 'a=1&b='],
    [
      'a parsed list',
      { body: { a: [{ b: 1 }, { b: 2 }] } },
      FORM,
      'a%5B0%5D%5Bb%5D=1&a%5B1%5D%5Bb%5D=2',
    ],
  ])('%s', async (_name, kept, type, expected) => {
    expect(await readBehind(kept, type)).toBe(expected)
  })

  test.each(['latin1', 'hex', 'utf8'] as const)(
    'one whose encoding the host has set to %s arrives as it was sent',
    async (encoding) => {
      const listener = toNodeListener(async (request) => new Response(await request.text()))
      const port = await listenTo((message: IncomingMessage, reply) => {
        listener(message.setEncoding(encoding), reply)
      })
      expect((await send(port, { method: 'POST', body: 'sent ü' })).text).toBe('sent ü')
    },
  )
})
