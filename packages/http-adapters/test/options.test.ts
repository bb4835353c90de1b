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
])('%s', (_name, create) => {
  test.each([
    ['unknownName', { unknownName: 1 }],
    ['toString', { toString: 1 }],
    ['basePath', { basePath: 'scim' }],
    ['basePath', { basePath: '/scim/' }],
    ['basePath', { basePath: '/scim?x' }],
    ['basePath', { basePath: '/scim#x' }],
    ['basePath', { basePath: '' }],
    ['bodyLimit', { bodyLimit: 0 }],
    ['bodyLimit', { bodyLimit: -1 }],
    ['bodyLimit', { bodyLimit: Number.NaN }],
    ['bodyLimit', { bodyLimit: '1mb' }],
    ['origin', { origin: '/relative' }],
    ['origin', { origin: 'ftp://host' }],
    ['origin', { origin: 'https://host/path' }],
    ['origin', { origin: 'https://user@host' }],
    ['match', { match: 'x' }],
    ['onError', { onError: 'framework' }],
    ['request', { request: 'fat' }],
    ['trustProxy', { trustProxy: 1 }],
  ])('AD-4 an invalid %s throws a TypeError that names it: %j', (name, options) => {
    expect(() => create(options)).toThrow(TypeError)
    expect(() => create(options)).toThrow(name)
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

  test('AD-12 passes the genuine object of the platform', async () => {
    const seen: Request[] = []
    const serve = toFetch((request) => {
      seen.push(request)
      return new Response()
    })
    const sent = new Request('http://h/')
    await serve(sent)
    expect(seen[0]).toBe(sent)
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
    const status = async (url: string, init?: RequestInit): Promise<number> =>
      (await serve(new Request(url, init))).status
    expect(await status('http://h/out')).toBe(404)
    expect(await status('http://h/in/boom')).toBe(500)
    expect(await status('http://h/in', { method: 'POST', body: '1234' })).toBe(413)
    expect(await status('http://h/in', { method: 'POST', body: '123' })).toBe(200)
  })

  test('AD-14 a genuine request gets a genuine Response', async () => {
    const answer = jsonResponse(new Request('http://h/'), { a: 1 }, { headers: [['x-a', '1']] })
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await answer.json()).toEqual({ a: 1 })
    expect(() => jsonResponse(new Request('http://h/'), undefined)).toThrow(TypeError)
  })

  test('AD-16 a BodyError tells code, status and limit', () => {
    expect(new BodyError('body_too_large', 5)).toMatchObject({ status: 413, limit: 5 })
    expect(new BodyError('body_consumed')).toMatchObject({ status: 500 })
    expect(new BodyError('client_gone')).toMatchObject({ status: 499 })
  })
})
