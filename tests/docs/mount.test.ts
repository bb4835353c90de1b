import { expect, test } from 'vitest'
import { blockWith, load } from './blocks.ts'

interface Mounts {
  readonly fastify: {
    inject: (call: object) => Promise<{ statusCode: number; body: string }>
    close: () => Promise<void>
  }
  readonly hono: { request: (path: string, init: RequestInit) => Promise<Response> }
  readonly GET: (request: Request, route: unknown) => Promise<Response>
}

test('docs/guides/mount.md: Fastify, Hono and Next serve the same service', async () => {
  const code = await blockWith('docs/guides/mount.md', 'export const fastify')
  const { fastify, hono, GET } = await load<Mounts>('mount', code)
  const url = '/scim/v2/Users'
  const headers = { authorization: 'Bearer a-long-random-secret' }

  const { statusCode, body } = await fastify.inject({ method: 'GET', url, headers })
  const fromHono = await hono.request(url, { headers })
  const request = new Request(`https://app.example${url}`, { headers })
  const fromNext = await GET(request, { params: Promise.resolve({}) })
  await fastify.close()

  expect([statusCode, fromHono.status, fromNext.status]).toEqual([200, 200, 200])
  expect(JSON.parse(body)).toMatchObject({ totalResults: 0 })
  expect(await fromHono.text()).toBe(body)
  expect(await fromNext.text()).toBe(body)
})
