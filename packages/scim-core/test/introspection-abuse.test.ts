import { createScimService } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createIntrospectionAuth, createJwtAuth } from '@x/scim-core/oauth'
import { expect, test } from 'vitest'
import { AUDIENCE, ISSUER, runtime, seconds, signed } from './oauth-support.ts'
import { BASE } from './support.ts'

/** A service whose tokens another server knows: those that begin with `good`. */
function makeService(answer?: () => Response) {
  const asked: string[] = []
  const auth = createIntrospectionAuth({
    url: 'https://login.example/introspect',
    clientId: 'me',
    clientSecret: 'geheim',
    tenant: 'acme',
    runtime,
    fetch: async (_url, init) => {
      const token = new URLSearchParams(init?.body as string).get('token') ?? ''
      asked.push(token)
      await Promise.resolve()
      if (answer !== undefined) return answer()
      const active = token.startsWith('good')
      return Response.json({ active, client_id: 'idp', scope: 'scim', exp: seconds() + 3_600 })
    },
  })
  const service = createScimService({
    store: createMemoryScimStore(),
    baseUrl: BASE,
    auth,
    runtime,
  })
  const ask = (token: string, clientAddress: string): Promise<Response> =>
    service.handle(
      new Request(`${BASE}/Users`, { headers: { authorization: `Bearer ${token}` } }),
      { clientAddress },
    )
  return { asked, ask }
}

const STRANGER = '203.0.113.9'
const FRIEND = '198.51.100.7'

test('SH-47 a refused token is not asked about again for 30 seconds', async () => {
  const { asked, ask } = makeService()
  for (let n = 0; n < 5; n += 1) expect((await ask('bad', STRANGER)).status).toBe(401)
  expect(asked).toEqual(['bad'])
  await runtime.advance(30_000)
  expect((await ask('bad', STRANGER)).status).toBe(401)
  expect(asked).toHaveLength(2)
})

test('SH-47 a thousand unknown tokens at once are asked about 60 times, and others get their answers', async () => {
  const { asked, ask } = makeService()
  expect((await ask('good-before', STRANGER)).status).toBe(200)
  await runtime.advance(60_000)
  const all = await Promise.all(Array.from({ length: 1_000 }, (_, n) => ask(`bad${n}`, STRANGER)))
  const statuses = new Set(all.map(({ status }) => status))
  expect(statuses).toEqual(new Set([401, 429]))
  expect(asked.filter((token) => token.startsWith('bad'))).toHaveLength(60)
  const last = all.at(-1)
  expect(last?.status).toBe(429)
  expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await last?.json()).toMatchObject({ status: '429' })

  expect((await ask('good-new', FRIEND)).status).toBe(200)
  expect((await ask('good-before', STRANGER)).status).toBe(200)
  await runtime.advance(60_000)
  expect((await ask('good-new', STRANGER)).status).toBe(200)
})

test('SH-47 the networks of a /64 count as one client', async () => {
  const { asked, ask } = makeService()
  for (let n = 0; n < 100; n += 1) await ask(`bad${n}`, `2001:db8:1:2::${n.toString(16)}`)
  expect(asked).toHaveLength(60)
})

test('SH-47 accepted tokens do not count, and requests at once ask once', async () => {
  const { asked, ask } = makeService()
  for (let n = 0; n < 200; n += 1) expect((await ask(`good${n}`, FRIEND)).status).toBe(200)
  asked.length = 0
  await Promise.all(Array.from({ length: 50 }, () => ask('good-once', FRIEND)))
  expect(asked).toEqual(['good-once'])
})

/** A body without end; `read` counts what was taken. */
function endless(): { response: Response; read: () => number } {
  let count = 0
  const piece = new TextEncoder().encode(' '.repeat(65_536))
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      count += 1
      if (count > 200) throw new Error('read too much')
      controller.enqueue(piece)
    },
  })
  return { response: new Response(body), read: () => count }
}

test('SH-46, SH-47 at most 1 MiB of an answer is read', async () => {
  const first = endless()
  expect((await makeService(() => first.response).ask('any', FRIEND)).status).toBe(503)
  expect(first.read()).toBeLessThan(20)
  const second = endless()
  const auth = createJwtAuth({
    issuer: ISSUER,
    audience: AUDIENCE,
    jwks: 'https://login.example/keys',
    tenant: 'acme',
    runtime,
    fetch: async () => second.response,
  })
  const service = createScimService({
    store: createMemoryScimStore(),
    baseUrl: BASE,
    auth,
    runtime,
  })
  const authorization = `Bearer ${await signed({ iat: seconds(), exp: seconds() + 600 })}`
  const answer = await service.handle(new Request(`${BASE}/Users`, { headers: { authorization } }))
  expect(answer.status).toBe(503)
  expect(second.read()).toBeLessThan(20)
})
