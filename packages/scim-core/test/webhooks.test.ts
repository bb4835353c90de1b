import { createMemoryScimStore } from '@x/scim-core/memory'
import {
  createWebhooks,
  verifyWebhook,
  WebhookSignatureError,
  type Webhooks,
  type WebhooksOptions,
} from '@x/scim-core/outbound'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startReceiver, type Received, type Receiver } from './receiver.ts'
import { createScim, type Harness } from './support.ts'

const SECRET_KEY = 'a secret key of at least 32 characters'
const TENANT = 'default'

let receiver: Receiver
let scim: Harness
let store: ReturnType<typeof createMemoryScimStore>
let webhooks: Webhooks

const open = (options: Partial<WebhooksOptions> = {}): Webhooks =>
  createWebhooks({
    store: store.outbox,
    secretKey: SECRET_KEY,
    runtime: scim.runtime,
    allowLoopback: true,
    ...options,
  })

beforeEach(async () => {
  receiver = await startReceiver()
  store = createMemoryScimStore()
  scim = createScim({ store, outbox: true })
  webhooks = open()
})
afterEach(() => receiver.close())

/** The events that arrived, by name. */
const types = (): string[] =>
  receiver.requests.map(({ body }) => (JSON.parse(body) as { type: string }).type)

describe('the outbox of a service', () => {
  test('SH-18 each event except audit is a row; a refused request adds none', async () => {
    const ada = await scim.user('ada@corp.example')
    await scim.post('/Users', { userName: 'ada@corp.example' })
    await scim.patch(`/Users/${ada}`, [{ op: 'replace', path: 'active', value: false }])
    await scim.service.users.create(TENANT, { userName: 'bo@corp.example' })
    const { events } = await webhooks.events(TENANT)
    expect(events.map(({ type }) => type)).toEqual([
      'user.created',
      'user.updated',
      'user.deactivated',
      'user.created',
    ])
    expect(events[1]).toMatchObject({
      tenant: TENANT,
      resourceType: 'User',
      resourceId: ada,
      actor: 'static',
      data: { changed: ['active'], before: { active: true }, after: { active: false } },
    })
    expect(events[3]?.actor).toBeNull()
    expect(events[0]?.requestId).not.toBe(events[1]?.requestId)
  })

  test('SH-18 a hook that throws rolls back the change and its row', async () => {
    const refusing = createScim({
      store,
      outbox: true,
      beforeCommit: () => {
        throw new Error('no')
      },
    })
    const { status } = await refusing.post('/Users', { userName: 'ada@corp.example' })
    expect(status).toBe(500)
    expect((await webhooks.events(TENANT)).events).toEqual([])
    expect(await scim.names('userName pr')).toEqual([])
  })

  test('SH-19 members are split into rows of at most 1,000 ids; all but the last have more: true', async () => {
    const ids: string[] = []
    for (let n = 0; n < 1_100; n += 1) {
      ids.push((await scim.service.users.create(TENANT, { userName: `u${n}@x.example` })).id)
    }
    await scim.group('All', ids)
    const { events } = await webhooks.events(TENANT, { types: ['group.members.changed'] })
    expect(events.map(({ data }) => [list(data['added']).length, data['more'] ?? false])).toEqual([
      [1_000, true],
      [100, false],
    ])
    expect(new Set(events.flatMap(({ data }) => list(data['added']))).size).toBe(1_100)
  })

  test('SH-20 rows contain no password', async () => {
    await scim.post('/Users', { userName: 'ada@corp.example', password: 'hunter-22' })
    expect(JSON.stringify(await webhooks.events(TENANT))).not.toContain('hunter-22')
  })

  test('SH-20 the id of a row is a UUID that begins with its time', async () => {
    for (const name of ['ada', 'bo', 'cy']) await scim.user(`${name}@corp.example`)
    const { events } = await webhooks.events(TENANT)
    for (const { id, at } of events) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/)
      expect(new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toISOString()).toBe(at)
    }
    expect(new Set(events.map(({ id }) => id)).size).toBe(3)
  })

  test('SH-18 a store without an outbox is refused', () => {
    const { outbox: _outbox, ...bare } = store
    expect(() => createScim({ store: bare, outbox: true })).toThrow('The store has no outbox')
  })
})

describe('deliveries', () => {
  test('SH-22 SH-27 a delivery is signed, and verified by its receiver', async () => {
    const { id, secret } = await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const ada = await scim.user('ada@corp.example')
    expect(await webhooks.deliverDue()).toEqual({ delivered: 1, retrying: 0, failed: 0 })
    const [request] = receiver.requests
    const { headers, body } = request ?? { headers: {}, body: '' }
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'x-scim-webhooks/1',
    })
    const now = scim.runtime.now()
    const event = verifyWebhook({ secret, headers, body, now })
    expect(event).toMatchObject({
      id: headers['webhook-id'],
      type: 'user.created',
      timestamp: now.toISOString(),
      data: { id: ada, tenant: TENANT, actor: 'static', after: { userName: 'ada@corp.example' } },
    })
    const refused = (change: Partial<Parameters<typeof verifyWebhook>[0]>): unknown => {
      try {
        verifyWebhook({ secret, headers, body, now, ...change })
        return 'accepted'
      } catch (error) {
        return error instanceof WebhookSignatureError ? error.code : error
      }
    }
    expect(refused({ body: `${body} ` })).toBe('mismatch')
    expect(refused({ headers: {} })).toBe('missing')
    expect(refused({ headers: { ...headers, 'webhook-signature': 'v2,x' } })).toBe('malformed')
    expect(refused({ now: new Date(now.getTime() + 301_000) })).toBe('expired')
    expect(refused({ now: new Date(now.getTime() - 301_000) })).toBe('expired')
    expect(refused({ now: new Date(now.getTime() + 301_000), toleranceSeconds: 400 })).toBe(
      'accepted',
    )
    expect(refused({ secret: ['whsec_AAAA', secret] })).toBe('accepted')
    expect(refused({ secret: 'whsec_AAAA' })).toBe('mismatch')
    expect(
      refused({
        headers: new Headers(headers as Record<string, string>),
        body: new TextEncoder().encode(body),
      }),
    ).toBe('accepted')
    expect(Object.keys(JSON.parse(body) as object)).toEqual(['type', 'timestamp', 'data'])
    const { deliveries } = await webhooks.deliveries(TENANT)
    expect(deliveries).toMatchObject([
      { endpointId: id, type: 'user.created', state: 'delivered', attempts: 1, lastStatus: 204 },
    ])
    expect(JSON.stringify(await webhooks.endpoints.get(TENANT, id))).not.toContain('secret')
  })

  test('SH-22 during a rotation both secrets sign, the new one first', async () => {
    const { id, secret } = await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
    const next = await webhooks.endpoints.rotate(TENANT, id, { overlapSeconds: 60 })
    await scim.user('ada@corp.example')
    await webhooks.deliverDue()
    await scim.runtime.advance(61_000)
    await scim.user('bo@corp.example')
    await webhooks.deliverDue()
    const [during, after] = receiver.requests
    const now = scim.runtime.now()
    for (const one of [secret, next.secret]) {
      verifyWebhook({ secret: one, ...sent(during), now, toleranceSeconds: 100 })
    }
    expect(String(during?.headers['webhook-signature']).split(' ')).toHaveLength(2)
    verifyWebhook({ secret: next.secret, ...sent(after), now })
    expect(() => verifyWebhook({ secret, ...sent(after), now })).toThrow(WebhookSignatureError)
  })

  test('SH-22 a second rotation ends no secret early, and one without overlap ends all', async () => {
    const { id, secret } = await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
    const second = await webhooks.endpoints.rotate(TENANT, id, { overlapSeconds: 100 })
    const third = await webhooks.endpoints.rotate(TENANT, id, { overlapSeconds: 1_000 })
    const signing = async (): Promise<boolean[]> => {
      await scim.service.users.create(TENANT, { userName: `${receiver.requests.length}@x.example` })
      await webhooks.deliverDue()
      const request = sent(receiver.requests.at(-1))
      return [secret, second.secret, third.secret].map((one) => {
        try {
          return verifyWebhook({ secret: one, ...request, now: scim.runtime.now() }).id !== ''
        } catch {
          return false
        }
      })
    }
    expect(await signing()).toEqual([true, true, true])
    await scim.runtime.advance(101_000)
    expect(await signing()).toEqual([false, true, true])
    await webhooks.endpoints.rotate(TENANT, id, { overlapSeconds: 0 })
    expect(await signing()).toEqual([false, false, false])
  })

  test('SH-23 SH-24 a failed delivery is retried with the same id and bytes; others do not wait', async () => {
    await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
    let isBroken = true
    receiver.answer = ({ body }, response) => {
      response.writeHead(isBroken && body.includes('ada@') ? 500 : 200).end('ok')
    }
    const ada = await scim.user('ada@corp.example')
    await scim.patch(`/Users/${ada}`, [{ op: 'replace', path: 'title', value: 'x' }])
    await scim.user('bo@corp.example')
    expect(await webhooks.deliverDue()).toEqual({ delivered: 1, retrying: 1, failed: 0 })
    expect(await webhooks.deliverDue()).toEqual({ delivered: 0, retrying: 0, failed: 0 })
    isBroken = false
    await scim.runtime.advance(6_000)
    expect(await webhooks.deliverDue()).toEqual({ delivered: 2, retrying: 0, failed: 0 })
    expect(types()).toEqual(['user.created', 'user.created', 'user.created', 'user.updated'])
    const [first, , second] = receiver.requests
    expect(second?.body).toBe(first?.body)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  })

  test('SH-23 after the last delay a delivery has failed; replay sends it again', async () => {
    webhooks = open({ retryDelays: [1, 2] })
    const { id } = await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
    receiver.answer = (_received, response) =>
      void response.writeHead(302, { location: receiver.url }).end('secret body')
    await scim.user('ada@corp.example')
    const counts = []
    for (let round = 0; round < 3; round += 1) {
      counts.push(await webhooks.deliverDue())
      await scim.runtime.advance(3_000)
    }
    expect(counts.map(({ retrying, failed }) => [retrying, failed])).toEqual([
      [1, 0],
      [1, 0],
      [0, 1],
    ])
    expect(receiver.requests).toHaveLength(3)
    const failed = await webhooks.deliveries(TENANT, { state: 'failed' })
    expect(failed.deliveries).toMatchObject([
      { attempts: 3, lastStatus: 302, lastError: 'HTTP 302', nextAt: null },
    ])
    receiver.answer = (_received, response) => void response.writeHead(200).end()
    expect(await webhooks.replay(TENANT, { endpointId: id, failed: true })).toEqual({ count: 1 })
    expect(await webhooks.deliverDue()).toMatchObject({ delivered: 1 })
  })

  test('SH-23 410 disables the endpoint; Retry-After is respected', async () => {
    const { id } = await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
    receiver.answer = (_received, response) =>
      void response.writeHead(429, { 'retry-after': '100' }).end()
    await scim.user('ada@corp.example')
    await webhooks.deliverDue()
    await scim.runtime.advance(90_000)
    expect(await webhooks.deliverDue()).toMatchObject({ retrying: 0 })
    receiver.answer = (_received, response) => void response.writeHead(410).end()
    await scim.runtime.advance(30_000)
    await scim.user('bo@corp.example')
    await webhooks.deliverDue()
    expect(await webhooks.endpoints.get(TENANT, id)).toMatchObject({
      enabled: false,
      disabledReason: '410 Gone',
    })
    const { deliveries } = await webhooks.deliveries(TENANT)
    expect(new Set(deliveries.map(({ state }) => state))).toEqual(new Set(['failed']))
  })

  test('SH-23 the status decides: an endless answer counts as delivered, and its connection is closed', async () => {
    await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
    const closed: Promise<unknown>[] = []
    receiver.answer = (_received, response) => {
      closed.push(new Promise((resolve) => response.once('close', resolve)))
      response.writeHead(200)
      const more = (): void => {
        if (response.destroyed) return
        response.write('x'.repeat(100_000))
        setTimeout(more, 5)
      }
      more()
    }
    await scim.user('ada@corp.example')
    expect(await webhooks.deliverDue()).toEqual({ delivered: 1, retrying: 0, failed: 0 })
    receiver.answer = (_received, response) => {
      closed.push(new Promise((resolve) => response.once('close', resolve)))
      response.writeHead(200)
      response.write('and then nothing')
    }
    await scim.user('bo@corp.example')
    expect(await webhooks.deliverDue()).toEqual({ delivered: 1, retrying: 0, failed: 0 })
    await Promise.all(closed)
    expect(closed).toHaveLength(2)
  })

  test('SH-23 redirects are not followed; an unknown status is a failure', async () => {
    const target = await startReceiver()
    try {
      await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
      receiver.answer = (_received, response) =>
        void response.writeHead(307, { location: target.url }).end()
      await scim.user('ada@corp.example')
      expect(await webhooks.deliverDue()).toEqual({ delivered: 0, retrying: 1, failed: 0 })
      receiver.answer = (_received, response) => void response.writeHead(799).end()
      await scim.user('bo@corp.example')
      expect(await webhooks.deliverDue()).toEqual({ delivered: 0, retrying: 1, failed: 0 })
      expect(target.requests).toEqual([])
    } finally {
      await target.close()
    }
  })

  test(
    'SH-23 a hanging receiver is given up after the timeout; other deliveries go on',
    { tags: ['long'] },
    async () => {
      webhooks = createWebhooks({
        store: store.outbox,
        secretKey: SECRET_KEY,
        allowLoopback: true,
        // Ample for the answers of the others on a busy machine.
        timeoutMs: 2_000,
      })
      const { id } = await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
      receiver.answer = ({ body }, response) => {
        if (!body.includes('ada@')) response.writeHead(200).end()
      }
      await scim.user('ada@corp.example')
      for (const name of ['bo', 'cy', 'di']) await scim.user(`${name}@corp.example`)
      expect(await webhooks.deliverDue()).toEqual({ delivered: 3, retrying: 1, failed: 0 })
      const { deliveries } = await webhooks.deliveries(TENANT, { endpointId: id, state: 'waiting' })
      expect(deliveries[0]?.lastError).toBe('The receiver did not answer within 2 s')
    },
  )

  test('SH-25 two dispatchers deliver each event once, in order for each resource', async () => {
    await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
    const ids = []
    for (let n = 0; n < 10; n += 1) ids.push(await scim.user(`u${n}@corp.example`))
    for (let step = 0; step < 3; step += 1) {
      for (const id of ids) {
        await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'title', value: `t${step}` }])
      }
    }
    const rounds = await Promise.all([webhooks.deliverDue(), open().deliverDue()])
    await webhooks.deliverDue()
    expect(rounds.reduce((sum, { delivered }) => sum + delivered, 0)).toBeLessThanOrEqual(40)
    expect(receiver.requests).toHaveLength(40)
    const titles = new Map<string, unknown[]>()
    for (const { body } of receiver.requests) {
      const { data } = JSON.parse(body) as { data: { id: string; after: { title?: string } } }
      titles.set(data.id, [...(titles.get(data.id) ?? []), data.after.title])
    }
    for (const id of ids) expect(titles.get(id)).toEqual([undefined, 't0', 't1', 't2'])
  })

  test('run goes on until it is aborted', async () => {
    webhooks = createWebhooks({
      store: store.outbox,
      secretKey: SECRET_KEY,
      allowLoopback: true,
    })
    await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
    const stop = new AbortController()
    const running = webhooks.run({ signal: stop.signal, pollMs: 10 })
    await scim.user('ada@corp.example')
    await expect.poll(() => receiver.requests.length).toBe(1)
    stop.abort()
    await running
  })

  test('a payload above 1 MiB is sent without before and after', async () => {
    await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
    const large = 'x'.repeat(60_000)
    const emails = Array.from({ length: 18 }, (_, n) => ({ value: `${n}${large}@x.example` }))
    await scim.service.users.create(TENANT, { userName: 'ada@corp.example', emails })
    await webhooks.deliverDue()
    const { data } = JSON.parse(receiver.requests[0]?.body ?? '') as { data: object }
    expect(data).toMatchObject({ truncated: true })
    expect(data).not.toHaveProperty('after')
  })
})

describe('endpoints', () => {
  const strict = (): Webhooks => open({ allowLoopback: false })

  test.each([
    'http://receiver.example/hook',
    'https://localhost/hook',
    'https://sub.localhost:8443/',
    'https://127.0.0.1/hook',
    'https://2130706433/hook',
    'https://10.1.2.3/',
    'https://192.168.0.1/',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[fd00::1]/',
    'https://[2001:0:102:304::1]/',
    'https://192.0.2.1/',
    'https://user:pass@receiver.example/',
    'ftp://receiver.example/',
    'no address',
  ])('SH-26 refuses %s', async (url) => {
    const attempt = strict().endpoints.create({ tenant: TENANT, url })
    await expect(attempt).rejects.toThrow(
      new TypeError('The webhook address must be a public https URL'),
    )
  })

  test('SH-26 secrets are stored sealed, for one endpoint and one secretKey', async () => {
    const { id, secret } = await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
    const other = await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
    const record = await store.outbox.endpoints.get(TENANT, id)
    const plain = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const sealed = Buffer.from(record?.secrets ?? '', 'base64url')
    expect(sealed.length).toBeGreaterThan(plain.length)
    expect(sealed.includes(plain)).toBe(false)
    expect(sealed.includes(secret)).toBe(false)
    // A sealed secret that is moved to another endpoint, or read with another key, signs nothing.
    await store.outbox.endpoints.update(TENANT, other.id, { secrets: record?.secrets ?? '' })
    await scim.user('ada@corp.example')
    const rekeyed = open({ secretKey: 'another key of at least 32 characters', retryDelays: [] })
    expect(await rekeyed.deliverDue()).toMatchObject({ delivered: 0, failed: 2 })
    await scim.user('bo@corp.example')
    expect(await open({ retryDelays: [] }).deliverDue()).toMatchObject({ delivered: 1, failed: 1 })
    expect(receiver.requests).toHaveLength(1)
  })

  test('SH-26 a host name that resolves to a private address is refused', async () => {
    const guarded = open({ retryDelays: [] })
    await guarded.endpoints.create({
      tenant: TENANT,
      url: receiver.url.replace('127.0.0.1', 'localhost'),
    })
    await scim.user('ada@corp.example')
    // The endpoint was made while loopback was allowed; the connection is checked all the same.
    expect(await open({ allowLoopback: false, retryDelays: [] }).deliverDue()).toMatchObject({
      failed: 1,
    })
    const { deliveries } = await guarded.deliveries(TENANT)
    expect(deliveries[0]?.lastError).toBe('The name of the receiver points to a private address')
    expect(receiver.requests).toEqual([])
  })

  test('a tenant has at most 20 endpoints; unknown event names are refused', async () => {
    for (let n = 0; n < 20; n += 1) {
      await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
    }
    await expect(webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })).rejects.toThrow(
      RangeError,
    )
    const [first] = await webhooks.endpoints.list(TENANT)
    const events = ['user.exploded' as 'user.created']
    await expect(webhooks.endpoints.update(TENANT, first?.id ?? '', { events })).rejects.toThrow(
      'Unknown event user.exploded',
    )
    expect(await webhooks.endpoints.remove('other', first?.id ?? '')).toBe(false)
    expect(await webhooks.endpoints.remove(TENANT, first?.id ?? '')).toBe(true)
    expect(() => open({ secretKey: 'short' })).toThrow(TypeError)
  })
})

function sent(request: Received | undefined): Received {
  if (request === undefined) throw new Error('Nothing was sent')
  return request
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
