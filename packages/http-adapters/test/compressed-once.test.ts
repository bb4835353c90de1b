import { gzipSync } from 'node:zlib'
import { afterEach, expect, test, vi } from 'vitest'
import { toFetch } from '@x/http-adapters'
import { nextHandlers } from '@x/http-adapters/next'

/** Compresses for each client that accepts it, as the flow API does. */
const compressing = (request: Request): Response =>
  request.headers.get('accept-encoding')?.includes('gzip') === true
    ? new Response(gzipSync('plain'), { headers: { 'content-encoding': 'gzip' } })
    : new Response('plain')

const asked = (init: RequestInit = {}): Request =>
  new Request('http://host.example/', { headers: { 'accept-encoding': 'gzip, br' }, ...init })

afterEach(() => vi.unstubAllGlobals())

test('HO-47: behind Next, which compresses once more, a handler answers uncompressed', async () => {
  const { GET } = nextHandlers(compressing)
  const response = await GET(asked())
  expect(response.headers.get('content-encoding')).toBeNull()
  expect(await response.text()).toBe('plain')
})

test('HO-47: so it does in workerd, and nowhere else', async () => {
  const fetch = toFetch(compressing)
  expect((await fetch(asked())).headers.get('content-encoding')).toBe('gzip')
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
  expect(await (await fetch(asked())).text()).toBe('plain')
})

test('HO-47: the request keeps its method, its other headers and its body', async () => {
  const { POST } = nextHandlers(async (request) => {
    const sent = [...request.headers].filter(([name]) => name !== 'content-type')
    return Response.json([request.method, sent, await request.text()])
  })
  const headers = { 'accept-encoding': 'gzip', 'x-sent': 'v', 'content-length': '4' }
  const response = await POST(asked({ method: 'POST', body: 'body', headers }))
  const kept = [
    ['content-length', '4'],
    ['x-sent', 'v'],
  ]
  expect(await response.json()).toEqual(['POST', kept, 'body'])
})

test('HO-41: a body that the host of Next has read fails as consumed', async () => {
  const request = asked({ method: 'POST', body: 'read' })
  await request.text()
  const { POST } = nextHandlers(async (given) => {
    const code = await given.text().catch((error: unknown) => Reflect.get(Object(error), 'code'))
    return Response.json(code)
  })
  expect(await (await POST(request)).json()).toBe('body_consumed')
})
