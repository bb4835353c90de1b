import { createMemoryScimStore } from '@x/scim-core/memory'
import { createWebhooks, createWebhooksHandler } from '@x/scim-core/outbound'
import type { OutboxRow } from '@x/scim-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { createScim } from './support.ts'

const URL_OF = 'https://hooks.example/scim'

function setUp() {
  const store = createMemoryScimStore()
  const scim = createScim({ store, outbox: true })
  const webhooks = createWebhooks({
    store: store.outbox,
    secretKey: 'a secret key of at least 32 characters',
    runtime: scim.runtime,
    fetch: async () => new Response(null, { status: 500 }),
    retryDelays: [],
  })
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    tenant: string | null = 'default',
  ) => {
    const handler = createWebhooksHandler({
      webhooks,
      basePath: '/admin/hooks/',
      authorize: () => (tenant === null ? null : { tenant, actor: 'me' }),
    })
    const response = await handler(
      new Request(`https://app.example/admin/hooks${path}`, {
        method,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
    const text = await response.text()
    const { status, headers } = response
    return { status, headers, text, body: (text === '' ? {} : JSON.parse(text)) as Body }
  }
  return { store, scim, webhooks, call }
}

type Body = Readonly<Record<string, unknown>>

let host: ReturnType<typeof setUp>
beforeEach(() => {
  host = setUp()
})

const created = async (): Promise<{ readonly id: string; readonly secret: string }> => {
  const { status, body } = await host.call('POST', '/', { url: URL_OF, description: 'CRM' })
  expect(status).toBe(201)
  return { id: (body['webhook'] as { id: string }).id, secret: String(body['secret']) }
}

describe('SH-28 the admin API of webhooks', () => {
  test('creates, lists, changes, rotates and removes endpoints; secrets are shown once', async () => {
    const { call } = host
    const { id, secret } = await created()
    expect(secret).toMatch(/^whsec_/)
    const shown = { id, url: URL_OF, events: null, description: 'CRM', enabled: true }
    const one = await call('GET', `/${id}`)
    const all = await call('GET', '/')
    expect([one.status, one.body]).toMatchObject([200, { webhook: shown }])
    expect([all.status, all.body]).toMatchObject([200, { webhooks: [shown] }])
    const patch = { events: ['user.created'], enabled: false, description: null }
    const patched = await call('PATCH', `/${id}`, patch)
    expect([patched.status, patched.body]).toMatchObject([200, { webhook: { ...shown, ...patch } }])
    const rotated = await call('POST', `/${id}/rotate`, { overlapSeconds: 5 })
    expect(rotated.status).toBe(201)
    expect(Object.keys(rotated.body)).toEqual(['secret'])
    expect((await call('POST', `/${id}/rotate`)).status).toBe(201)
    for (const { text } of [one, all, patched]) expect(text).not.toMatch(/whsec_|secret/)
    const removed = await call('DELETE', `/${id}`)
    expect([removed.status, removed.text]).toEqual([204, ''])
    expect((await call('GET', `/${id}`)).status).toBe(404)
  })

  test('shows deliveries page by page, and sends failed or older ones again', async () => {
    const { call, scim, webhooks } = host
    const { id } = await created()
    await scim.user('ada@corp.example')
    await scim.user('bo@corp.example')
    await webhooks.deliverDue()
    const failed = { endpointId: id, type: 'user.created', state: 'failed', lastStatus: 500 }
    const first = await call('GET', `/${id}/deliveries?state=failed&limit=1`)
    expect(first.body).toMatchObject({ deliveries: [failed], next: expect.any(String) as string })
    const after = encodeURIComponent(String(first.body['next']))
    const second = await call('GET', `/${id}/deliveries?after=${after}`)
    expect(second.body).toMatchObject({ deliveries: [failed], next: null })
    const [{ eventId }] = second.body['deliveries'] as [{ eventId: string }]
    const replay = (body: object) => call('POST', `/${id}/replay`, body)
    expect(await replay({ eventIds: [eventId] })).toMatchObject({ status: 200, body: { count: 1 } })
    expect((await call('GET', `/${id}/deliveries?state=waiting`)).body).toMatchObject({
      deliveries: [{ eventId }],
    })
    expect((await replay({ failed: true })).body).toEqual({ count: 1 })
    const at = scim.runtime.now().getTime()
    const iso = (ms: number): string => new Date(ms).toISOString()
    expect((await replay({ from: iso(at + 1) })).body).toEqual({ count: 0 })
    await webhooks.deliverDue()
    expect((await replay({ from: iso(0), to: iso(at + 1) })).body).toEqual({ count: 2 })
  })

  test('more endpoints or events than allowed are 409 conflict', async () => {
    const { call, store } = host
    const { id } = await created()
    const row = (n: number): OutboxRow => ({
      id: `e${n}`,
      tenant: 'default',
      type: 'user.updated',
      resourceType: 'User',
      resourceId: `r${n}`,
      at: '2031-01-01T00:00:00.000Z',
      requestId: 'q',
      actor: null,
      setId: `e${n}`,
      op: 'patch',
      data: '{}',
    })
    await store.transaction('default', async ({ outbox }) =>
      outbox?.append(Array.from({ length: 10_001 }, (_, n) => row(n))),
    )
    const conflict = { status: 409, body: { error: { code: 'conflict' } } }
    const from = '2020-01-01T00:00:00Z'
    expect(await call('POST', `/${id}/replay`, { from })).toMatchObject(conflict)
    for (let n = 1; n < 20; n += 1) await created()
    expect(await call('POST', '/', { url: URL_OF })).toMatchObject(conflict)
  })

  test('refuses strangers, other tenants, other methods and what it cannot read', async () => {
    const { call } = host
    const { id } = await created()
    const paths: [string, string, object?][] = [
      ['GET', `/${id}`],
      ['PATCH', `/${id}`, { enabled: false }],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/rotate`],
      ['GET', `/${id}/deliveries`],
      ['POST', `/${id}/replay`, { failed: true }],
    ]
    for (const [method, path, body] of paths) {
      expect(await call(method, path, body, 'globex')).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      })
      expect(await call(method, path, body, null)).toMatchObject({
        status: 401,
        body: { error: { code: 'unauthorized' } },
      })
    }
    expect((await call('GET', '/', undefined, 'globex')).body).toEqual({ webhooks: [] })
    expect((await call('GET', `/${id}`)).body).toMatchObject({ webhook: { enabled: true } })
    const put = await call('PUT', `/${id}`)
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, PATCH, DELETE'])
    expect((await call('GET', `/${id}/other`)).status).toBe(404)
    const wrong: [string, string, unknown?][] = [
      ['POST', '/', '{'],
      ['POST', '/', {}],
      ['POST', '/', { url: 'http://hooks.example' }],
      ['POST', '/', { url: URL_OF, events: 'all' }],
      ['POST', '/', { url: URL_OF, events: ['user.renamed'] }],
      ['POST', '/', { url: URL_OF, description: 7 }],
      ['PATCH', `/${id}`, { enabled: 'yes' }],
      ['PATCH', `/${id}`, { url: 'https://10.0.0.1/' }],
      ['POST', `/${id}/rotate`, { overlapSeconds: -1 }],
      ['POST', `/${id}/rotate`, { overlapSeconds: 1e300 }],
      ['POST', `/${id}/replay`, { from: 'soon' }],
      ['POST', `/${id}/replay`, { eventIds: 'e1' }],
      ['GET', `/${id}/deliveries?state=lost`],
      ['GET', `/${id}/deliveries?limit=0`],
      ['GET', `/${id}/deliveries?after=elsewhere`],
    ]
    for (const [method, path, body] of wrong) {
      const answer = await call(method, path, body)
      expect([path, body, answer.status]).toEqual([path, body, 400])
      expect(answer.body).toMatchObject({ error: { code: 'invalid' } })
    }
  })
})
