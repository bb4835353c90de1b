import { createScimService } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createScimClient } from '@x/scim-core/testing'
import { describe, expect, test } from 'vitest'
import { BASE, createScim, list, MESSAGES, problem, TOKEN, USER } from './support.ts'

const ROUTES: readonly (readonly [path: string, allow: string])[] = [
  ['/Users', 'GET, HEAD, POST'],
  ['/Groups', 'GET, HEAD, POST'],
  ['/Users/some-id', 'GET, HEAD, PUT, PATCH, DELETE'],
  ['/Groups/some-id', 'GET, HEAD, PUT, PATCH, DELETE'],
  ['/Users/.search', 'POST'],
  ['/Groups/.search', 'POST'],
  ['/.search', 'POST'],
  ['/', 'GET, HEAD'],
  ['', 'GET, HEAD'],
  ['/ServiceProviderConfig', 'GET, HEAD'],
  ['/ResourceTypes', 'GET, HEAD'],
  ['/ResourceTypes/User', 'GET, HEAD'],
  ['/Schemas', 'GET, HEAD'],
  [`/Schemas/${USER}`, 'GET, HEAD'],
  ['/Me', 'GET, HEAD, PUT, PATCH, DELETE'],
  ['/Bulk', 'POST'],
]
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']

const REFUSED = ', error="invalid_token", error_description="The token is not valid"'

describe('every route', () => {
  describe.each(ROUTES)('%s', (path, allow) => {
    const methods = allow.split(', ')

    test.each([
      ['no header', {}],
      ['another scheme', { authorization: 'Basic c2VjcmV0' }],
      ['no token', { authorization: 'Bearer' }],
      ['an empty token', { authorization: 'Bearer ' }],
      ['a tab', { authorization: `Bearer\t${TOKEN}` }],
      ['two tokens', { authorization: `Bearer ${TOKEN} x` }],
      ['a wrong token', { authorization: 'Bearer wrong' }, REFUSED],
      ['a longer token', { authorization: `Bearer ${TOKEN}x` }, REFUSED],
      ['another case', { authorization: `Bearer ${TOKEN.toUpperCase()}` }, REFUSED],
    ])('SC-7 SC-68 SH-49 %s: 401', async (_, headers, refused = '') => {
      const client = createScimClient(createScim().service.handle)
      const {
        status,
        body,
        headers: answer,
      } = await client.send(methods[0] ?? '', path, { headers })
      expect(status).toBe(401)
      expect(body).toMatchObject(problem(401))
      expect(body['detail']).toEqual(expect.stringMatching(/^[A-Z].*\.$/))
      expect(answer.get('www-authenticate')).toBe(`Bearer realm="scim"${refused}`)
    })

    test('SC-7 the authentication scheme ignores case and allows several spaces', async () => {
      const client = createScimClient(createScim().service.handle)
      const { status } = await client.send(methods[0] ?? '', path, {
        headers: { authorization: `bEARER   ${TOKEN}` },
      })
      expect(status).not.toBe(401)
    })

    test('SC-10 every other method is 405 with Allow', async () => {
      const scim = createScim()
      for (const method of METHODS.filter((one) => !methods.includes(one))) {
        const { status, headers, body } = await scim.send(method, path)
        expect([method, status]).toEqual([method, 405])
        expect(headers.get('allow')).toBe(allow)
        expect(body).toMatchObject(problem(405))
      }
    })

    test('D1 SC-7 while disabled every token is 401', async () => {
      const scim = createScim({ enabled: false })
      const { status, headers, body } = await scim.send(methods[0] ?? '', path)
      expect([status, body['status']]).toEqual([401, '401'])
      expect(headers.get('www-authenticate')).toBe('Bearer realm="scim"')
    })

    test('SC-9 a malformed body is 400 invalidSyntax', async () => {
      const scim = createScim({ bulk: true, resolveMe: () => null })
      for (const method of methods.filter((one) => ['POST', 'PUT', 'PATCH'].includes(one))) {
        for (const body of ['{', '[]', '"x"', 'null', '', '{"a":1,"A":2}', '{"a":1,"a":1}']) {
          const answer = await scim.send(method, path, {
            body,
            headers: { 'content-type': 'application/json' },
          })
          expect([method, body, answer.status, answer.body['scimType']]).toEqual([
            method,
            body,
            400,
            'invalidSyntax',
          ])
        }
      }
    })
  })

  test.each([
    '/Nothing',
    '/Users/a/b',
    '/Schemas/a/b',
    '/ServiceProviderConfig/x',
    '/Bulk/x',
    '/.search/x',
    '/Me/x',
  ])('SC-5 SC-6 unknown path %s: 404', async (path) => {
    const { status, body } = await createScim().get(path)
    expect(status).toBe(404)
    expect(body).toMatchObject(problem(404))
  })
})

describe('SC-6 the base path', () => {
  const paths = [
    '/api/v1/scim/v20/Users',
    '/API/v1/scim/v2/Users',
    '/scim/v2/Users',
    '/api/v1/Users',
    '/',
    '/api/v1/scim',
    '/x/api/v1/scim/v2/Users',
  ]

  test.each(paths)(
    '%s lies outside the base path and is 404 before any other check',
    async (path) => {
      const { service, events } = createScim({ enabled: false })
      const request = new Request(`https://host.example${path}`)
      expect(service.match(request)).toBe(false)
      const response = await service.handle(request)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject(problem(404))
      expect(events).toEqual([])
    },
  )

  test('outsideBase: pass marks the answer so that a host can handle the request itself', async () => {
    const { service } = createScim({ outsideBase: 'pass' })
    const response = await service.handle(new Request('https://host.example/other'))
    expect([response.status, response.headers.get('x-scim-outside')]).toEqual([404, '1'])
  })

  test.each([
    '/users',
    '/USERS/',
    '/Users?',
    '/Users?&',
    '/Users/?count=1&',
    '/Users?foo',
    '/Users?foo=bar&baz',
    '/Users?foo#bar',
    '/Users#bar',
  ])('tolerated: %s', async (path) => {
    const { status, body } = await createScim().get(path)
    expect(status).toBe(200)
    expect(body).toMatchObject({ totalResults: 0 })
  })

  test('a custom base path, and a base URL computed from the tenant', async () => {
    const service = createScimService({
      store: createMemoryScimStore(),
      baseUrl: (tenant) => `https://${tenant}.example/scim/`,
      basePath: '/inner',
      auth: { kind: 'token', token: TOKEN },
    })
    const client = createScimClient(service.handle, {
      baseUrl: 'http://10.0.0.1/inner',
      token: TOKEN,
    })
    const { headers, body } = await client.post('/Users', { userName: 'a@b.example' })
    expect(headers.get('location')).toBe(`https://default.example/scim/Users/${body.id}`)
  })

  test('+ is a space in a query', async () => {
    const scim = createScim()
    await scim.user('a@corp.example')
    const { body } = await scim.get('/Users?filter=userName+eq+%22a@corp.example%22&startIndex=+1')
    expect(body['totalResults']).toBe(1)
  })

  test.each([
    'x'.repeat(5_000),
    '%00',
    '%ff%fe',
    "'%20or%201=1--",
    '__proto__',
    'constructor',
    '..%2f..',
    '%25',
    '🚀',
  ])('an id that does not exist is 404: %s', async (id) => {
    const scim = createScim()
    for (const type of ['Users', 'Groups']) {
      expect((await scim.get(`/${type}/${id}`)).status).toBe(404)
      expect((await scim.delete(`/${type}/${id}`)).status).toBe(404)
      expect((await scim.patch(`/${type}/${id}`, [])).status).toBe(404)
    }
  })

  test('ids are case-exact', async () => {
    const scim = createScim({ runtime: { ...createScim().runtime, uuid: () => 'abc' } })
    await scim.user('a@corp.example')
    expect((await scim.get('/Users/abc')).status).toBe(200)
    expect((await scim.get('/Users/%61bc')).status).toBe(200)
    expect((await scim.get('/Users/%2561bc')).status).toBe(404)
    expect((await scim.get('/Users/ABC')).status).toBe(404)
  })
})

describe('SC-5 the order of checks', () => {
  test('checks address, authentication, route, method, scope, media type, size, JSON, then target', async () => {
    const scim = createScim({ allowedAddresses: ['10.0.0.0/8'], limits: { bodyBytes: 20 } })
    const inside = createScimClient(scim.service.handle, {
      token: TOKEN,
      context: { clientAddress: '10.1.2.3' },
    })
    const bad = { authorization: 'Bearer x' }
    expect((await scim.get('/Users', bad)).status).toBe(403)
    expect((await inside.get('/Nothing', bad)).status).toBe(401)
    expect((await inside.send('DELETE', '/Nothing')).status).toBe(404)
    const xml = { 'content-type': 'text/xml' }
    expect((await inside.send('PUT', '/Users', { body: 'x', headers: xml })).status).toBe(405)
    const long = 'x'.repeat(50)
    expect((await inside.send('PUT', '/Users/x', { body: long, headers: xml })).status).toBe(415)
    expect((await inside.send('PUT', '/Users/x', { body: long })).status).toBe(413)
    expect((await inside.send('PUT', '/Users/x', { body: 'x' })).status).toBe(400)
    const both = '?attributes=a&excludedAttributes=b'
    expect((await inside.send('PUT', `/Users/x${both}`, { body: '{}' })).status).toBe(400)
    expect((await inside.send('PUT', '/Users/x', { body: '{}' })).status).toBe(404)
    expect((await inside.get('/Users?count=x')).status).toBe(400)
    expect((await inside.get('/Users/x?attributes=a&excludedAttributes=b')).status).toBe(400)
  })

  test('a missing scope is reported before an invalid body', async () => {
    const scim = createScim({
      auth: {
        kind: 'host',
        authenticate: () => ({ id: 'p', tenant: 'default', scopes: ['users:read'], kind: 'host' }),
      },
    })
    expect(
      (await scim.send('POST', '/Users', { body: '{', headers: { 'content-type': 'x/y' } })).status,
    ).toBe(403)
  })
})

describe('SC-8 answers', () => {
  test('have a content type, no-store, no version, and a Location equal to meta.location', async () => {
    const scim = createScim()
    const { status, headers, body } = await scim.post('/Users', { userName: 'a@corp.example' })
    expect(status).toBe(201)
    expect(headers.get('content-type')).toBe('application/scim+json')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('etag')).toBeNull()
    expect(headers.get('location')).toBe(Reflect.get(body['meta'] as object, 'location'))
    expect(body['meta']).not.toHaveProperty('version')
    for (const accept of ['text/html', 'application/xml', '*/*;q=0']) {
      expect((await scim.get('/Users', { accept })).status).toBe(200)
    }
    const read = await scim.get(`/Users/${body.id}`)
    expect(read.headers.get('location')).toBe(headers.get('location'))
  })

  test('SC-10 HEAD mirrors GET without a body', async () => {
    const scim = createScim()
    const id = await scim.user('a@corp.example')
    const { status, headers, body } = await scim.send('HEAD', `/Users/${id}`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/scim+json')
    expect(body).toEqual({})
    expect((await scim.send('HEAD', '/Users/nobody')).status).toBe(404)
  })

  test('SC-79 headers of the request never influence addresses; no CORS', async () => {
    const scim = createScim()
    const { headers, body } = await scim.post(
      '/Users',
      { userName: 'a@corp.example' },
      {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        forwarded: 'host=evil.example',
        origin: 'https://evil.example',
      },
    )
    expect(JSON.stringify(body)).not.toContain('evil')
    expect(headers.get('location')).toBe(`${BASE}/Users/${body.id}`)
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('SC-9 request bodies', () => {
  const body = '{"userName":"a@corp.example"}'
  test.each([
    'application/scim+json',
    'application/json; charset=utf-8',
    'Application/SCIM+JSON;x=y',
    '',
  ])('accepted: "%s"', async (contentType) => {
    const answer = await createScim().send('POST', '/Users', {
      body,
      headers: { 'content-type': contentType },
    })
    expect(answer.status).toBe(201)
  })

  test.each(['application/xml', 'application/x-www-form-urlencoded', 'json'])(
    '415: %s',
    async (contentType) => {
      const answer = await createScim().send('POST', '/Users', {
        body,
        headers: { 'content-type': contentType },
      })
      expect(answer.status).toBe(415)
      expect(answer.body).toMatchObject(problem(415))
    },
  )

  test('a byte order mark is skipped; invalid UTF-8 is 400', async () => {
    const scim = createScim()
    const bytes = new TextEncoder().encode(body)
    const marked = new Uint8Array([0xef, 0xbb, 0xbf, ...bytes])
    expect((await scim.send('POST', '/Users', { body: marked })).status).toBe(201)
    const broken = new Uint8Array([...bytes.slice(0, 14), 0xff, ...bytes.slice(14)])
    const answer = await scim.send('POST', '/Users', { body: broken })
    expect(answer.body).toMatchObject(problem(400, 'invalidSyntax'))
  })

  test('keys that differ only in case are refused at any depth, also when escaped', async () => {
    const scim = createScim()
    for (const text of [
      '{"userName":"a@b.example","name":{"givenName":"x","GIVENNAME":"y"}}',
      '{"userName":"a@b.example","emails":[{"value":"x","v\\u0061lue":"y"}]}',
    ]) {
      const answer = await scim.send('POST', '/Users', { body: text })
      expect(answer.body).toMatchObject(problem(400, 'invalidSyntax'))
    }
    const quoted = '{"userName":"a@b.example","title":"{\\"a\\":1,\\"a\\":2}"}'
    expect((await scim.send('POST', '/Users', { body: quoted })).status).toBe(201)
  })

  test('bodies nested deeper than the limit are refused', async () => {
    const scim = createScim()
    const nested = (depth: number): string =>
      `{"userName":"a@b.example","x":${'['.repeat(depth)}${']'.repeat(depth)}}`
    expect((await scim.send('POST', '/Users', { body: nested(15) })).status).toBe(201)
    expect((await scim.send('POST', '/Users', { body: nested(16) })).body).toMatchObject(
      problem(400, 'invalidSyntax'),
    )
    expect((await scim.send('POST', '/Users', { body: nested(200_000) })).status).toBe(400)
    const emails = Array.from({ length: 100 }, (_, n) => ({ value: `${n}` }))
    expect((await scim.post('/Users', { userName: 'b@b.example', emails })).status).toBe(201)
  })
})

test('SC-3 two services in one process do not influence each other', async () => {
  const one = createScim({ baseUrl: BASE })
  const two = createScim({ enterprise: false, etag: true })
  await one.user('a@b.example')
  expect((await two.get('/Users')).body['totalResults']).toBe(0)
  const schemas = async (scim: typeof one): Promise<number> =>
    list((await scim.get('/Schemas')).body['Resources']).length
  expect((await schemas(one)) - (await schemas(two))).toBe(1)
})

test('SC-35 D5 routes that are switched off are 501', async () => {
  const scim = createScim()
  const bulk = await scim.post('/Bulk', { schemas: [`${MESSAGES}:BulkRequest`], Operations: [] })
  expect(bulk.body).toMatchObject(problem(501))
  expect((await scim.get('/Me')).body).toMatchObject(problem(501))
})
