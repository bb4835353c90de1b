import { gunzipSync } from 'node:zlib'
import { LEAN_REQUEST, responseParts } from '@x/wire'
import { describe, expect, test } from 'vitest'
import { createMemoryFlowStore } from '../src/memory/flow-store.ts'
import { adminToken, send } from '@x/test-kit'
import { createTestEngine } from '@x/test-kit'

const flows = '/api/v1/flows/'

describe('routing', () => {
  test('a missing or extra trailing slash gets a 307 that keeps the query, before credentials are checked', async () => {
    const engine = await createTestEngine()
    const answer = await send(engine, '/api/v1/flows?page=2', { method: 'DELETE' })
    expect([answer.status, answer.headers.get('location'), answer.text]).toEqual([
      307,
      '/api/v1/flows/?page=2',
      '',
    ])
    expect((await send(engine, '/api/v1/users/whoami/')).headers.get('location')).toBe(
      '/api/v1/users/whoami',
    )
  })

  test('an unsupported method is a 405 that names the allowed ones', async () => {
    const engine = await createTestEngine()
    const answer = await send(engine, '/api/v1/login', { method: 'PUT' })
    expect([answer.status, answer.headers.get('allow'), answer.body]).toEqual([
      405,
      'POST',
      { detail: 'Method Not Allowed' },
    ])
  })

  test('an unknown path is a 404, as are other letter case and doubled slashes', async () => {
    const engine = await createTestEngine()
    for (const path of ['/api/v1/nothing', '/API/v1/login', '/api//v1/login', '/']) {
      expect(await send(engine, path)).toMatchObject({ status: 404, body: { detail: 'Not Found' } })
    }
  })

  test('a service with a base path answers and redirects only below it', async () => {
    const engine = await createTestEngine({ settings: { basePath: '/flows' } })
    expect((await send(engine, '/health')).status).toBe(404)
    expect((await send(engine, '/flows/health')).body).toEqual({ status: 'ok' })
    const answer = await send(engine, '/flows/api/v1/folders/')
    expect(answer.headers.get('location')).toBe('/flows/api/v1/projects/')
  })
})

describe('bodies', () => {
  test.each([
    ['{"name":', 'json_invalid'],
    ['NaN', 'json_invalid'],
    [`${'['.repeat(500)}${']'.repeat(500)}`, 'json_invalid'],
    ['[]', 'model_attributes_type'],
    ['"text"', 'model_attributes_type'],
    ['', 'missing'],
  ])('the body %.20s is a 422 %s', async (body, type) => {
    const engine = await createTestEngine()
    const token = await adminToken(engine)
    const headers = { 'content-type': 'application/json' }
    const answer = await send(engine, flows, { method: 'POST', token, headers, body })
    expect([answer.status, answer.body]).toMatchObject([422, { detail: [{ type }] }])
  })

  test('brackets inside strings do not count as nesting', async () => {
    const engine = await createTestEngine()
    const token = await adminToken(engine)
    const json = { name: `"\\${'[{'.repeat(200)}` }
    expect((await send(engine, flows, { token, json })).status).toBe(201)
  })

  test('a body without a JSON content type is treated as text', async () => {
    const engine = await createTestEngine()
    const token = await adminToken(engine)
    const headers = { 'content-type': 'text/plain' }
    const answer = await send(engine, flows, { token, headers, body: '{"name":"x"}' })
    expect(answer.body).toMatchObject({
      detail: [{ type: 'model_attributes_type', loc: ['body'], input: '{"name":"x"}' }],
    })
  })

  test('a body over the limit is a 413 that names the limit, with or without content-length', async () => {
    const engine = await createTestEngine({ settings: { maxFileSizeUpload: 1 } })
    const token = await adminToken(engine)
    const body = JSON.stringify({ name: 'x'.repeat(2 * 1024 * 1024) })
    const type = { 'content-type': 'application/json' }
    for (const headers of [type, { ...type, 'content-length': String(body.length) }]) {
      const answer = await send(engine, flows, { token, headers, body })
      expect(answer).toMatchObject({
        status: 413,
        body: {
          detail: expect.stringMatching(
            /^Content size limit exceeded\. Maximum allowed is 1MB and got [\d.]+MB\.$/,
          ) as string,
        },
      })
    }
  })

  test('prototype names are ordinary keys, and unknown keys are ignored', async () => {
    const engine = await createTestEngine()
    const token = await adminToken(engine)
    const body =
      '{"name":"p","__proto__":{"locked":true},"data":{"nodes":[],"edges":[],"__proto__":{"a":1},"constructor":2}}'
    const headers = { 'content-type': 'application/json' }
    const answer = await send(engine, flows, { token, headers, body })
    expect(answer.body).toMatchObject({ name: 'p', locked: false })
    expect(answer.text).toContain('"__proto__":{"a":1},"constructor":2')
    expect(Reflect.get({}, 'a')).toBeUndefined()
  })
})

describe('answers', () => {
  test('an unexpected error is a 500 with a fixed text; the host gets the cause', async () => {
    const store = createMemoryFlowStore()
    const errors: unknown[] = []
    const engine = await createTestEngine({ store, onError: (error) => errors.push(error) })
    const token = await adminToken(engine)
    const cause = new Error('SELECT secret FROM /var/lib/database')
    Object.assign(store.flows, { list: () => Promise.reject(cause) })
    const answer = await send(engine, flows, { token })
    expect([answer.status, answer.text]).toEqual([500, '{"detail":"Internal Server Error"}'])
    expect(errors).toEqual([cause])
  })

  test('a list of flows is compressed for clients that accept compression', async () => {
    const engine = await createTestEngine()
    const token = await adminToken(engine)
    const plain = await send(engine, flows, { token })
    expect([plain.text, plain.headers.get('vary')]).toEqual(['[]', 'Accept-Encoding'])
    const request = new Request(`http://host${flows}`, {
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'br, gzip;q=0.5' },
    })
    const packed = await engine.handler(request)
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString()).toBe('[]')
    const none = { 'accept-encoding': 'gzip;q=0' }
    expect((await send(engine, flows, { token, headers: none })).text).toBe('[]')
  })

  test('the catalogue has an ETag', async () => {
    const engine = await createTestEngine()
    const token = await adminToken(engine)
    const first = await send(engine, '/api/v1/all', { token })
    const etag = first.headers.get('etag') ?? ''
    const again = await send(engine, '/api/v1/all', { token, headers: { 'if-none-match': etag } })
    expect([again.status, again.text]).toEqual([304, ''])
  })
})

describe('cross-origin requests', () => {
  const origin = 'https://app.example.test'
  const preflight = {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-api-key',
    },
  }

  test('get no CORS headers by default', async () => {
    const engine = await createTestEngine()
    const answer = await send(engine, '/health', { headers: { origin } })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
    const asked = await send(engine, '/health', preflight)
    expect(asked.headers.get('access-control-allow-origin')).toBeNull()
    expect((await send(engine, '/health', { method: 'OPTIONS' })).status).toBe(405)
  })

  test('from configured origins are allowed, including on errors', async () => {
    const engine = await createTestEngine({ settings: { corsOrigins: [origin] } })
    const answer = await send(engine, '/api/v1/users/whoami', { headers: { origin } })
    expect(answer.status).toBe(403)
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
    expect(answer.headers.get('access-control-allow-credentials')).toBe('true')
    const asked = await send(engine, '/anything', preflight)
    expect(asked.status).toBe(204)
    expect(asked.headers.get('access-control-allow-headers')).toBe('x-api-key')
    const other = { ...preflight, headers: { ...preflight.headers, origin: 'https://other.test' } }
    const refused = await send(engine, '/anything', other)
    expect(refused.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('AD-14: a response with CORS headers is still sent from its parts', async () => {
    const engine = await createTestEngine({ settings: { corsOrigins: [origin] } })
    const request = new Request('http://flow.test/api/v1/version', { headers: { origin } })
    const answer = await engine.handler(Object.assign(request, { [LEAN_REQUEST]: true }))
    const lines = responseParts(answer)?.headers.map(([name]) => name)
    expect(lines).toEqual(expect.arrayContaining(['access-control-allow-origin', 'vary']))
  })

  test('a wildcard origin is never combined with credentials', async () => {
    const engine = await createTestEngine({ settings: { corsOrigins: ['*'] } })
    const answer = await send(engine, '/health', { headers: { origin } })
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    const both = { corsOrigins: ['*'], corsAllowCredentials: true }
    await expect(createTestEngine({ settings: both })).rejects.toThrow('corsAllowCredentials')
  })
})
