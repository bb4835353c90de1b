import { createMemoryScimStore } from '@x/scim-core/memory'
import { createWebhooks, type Webhooks, type WebhooksOptions } from '@x/scim-core/outbound'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startReceiver, type Receiver } from './receiver.ts'
import { createScim, type Harness } from './support.ts'

const TENANT = 'default'
const HOOK = 'https://hooks.example/'

let receiver: Receiver
let scim: Harness
let store: ReturnType<typeof createMemoryScimStore>

beforeEach(async () => {
  receiver = await startReceiver()
  store = createMemoryScimStore()
  scim = createScim({ store, outbox: true })
})
afterEach(() => receiver.close())

const open = (options: Partial<WebhooksOptions> = {}): Webhooks =>
  createWebhooks({
    store: store.outbox,
    secretKey: 'a secret key of at least 32 characters',
    runtime: scim.runtime,
    allowLoopback: true,
    ...options,
  })

describe('SH-23 the status of an answer decides', () => {
  // On the clock of the machine: what a receiver leaves open is waited for.
  const onRealTime = (options: Partial<WebhooksOptions>): Webhooks =>
    createWebhooks({
      store: store.outbox,
      secretKey: 'a secret key of at least 32 characters',
      allowLoopback: true,
      ...options,
    })

  test.each([
    ['of the package', {}],
    ['of the host', { fetch: (url: string, init: object) => fetch(url, init) }],
  ] satisfies [string, Partial<WebhooksOptions>][])(
    'although its body never ends, with the fetch %s',
    async (_name, options) => {
      const webhooks = onRealTime(options)
      const { id } = await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
      const closed: Promise<unknown>[] = []
      let status = 200
      receiver.answer = (_received, response) => {
        closed.push(new Promise((resolve) => response.once('close', resolve)))
        response.writeHead(status).write('and then nothing')
      }
      await scim.user('ada@corp.example')
      expect(await webhooks.deliverDue()).toEqual({ delivered: 1, retrying: 0, failed: 0 })
      status = 410
      await scim.user('bo@corp.example')
      expect(await webhooks.deliverDue()).toEqual({ delivered: 0, retrying: 0, failed: 1 })
      expect(await webhooks.endpoints.get(TENANT, id)).toMatchObject({
        enabled: false,
        disabledReason: '410 Gone',
      })
      await Promise.all(closed)
      expect(closed).toHaveLength(2)
    },
  )

  test('a receiver that ends the connection without an answer is tried again', async () => {
    const webhooks = open()
    await webhooks.endpoints.create({ tenant: TENANT, url: receiver.url })
    receiver.answer = (_received, response) => void response.destroy()
    await scim.user('ada@corp.example')
    expect(await webhooks.deliverDue()).toEqual({ delivered: 0, retrying: 1, failed: 0 })
    const { deliveries } = await webhooks.deliveries(TENANT)
    expect(deliveries).toMatchObject([{ lastStatus: null, lastError: 'ECONNRESET' }])
    await receiver.close()
    await scim.runtime.advance(6_000)
    expect(await webhooks.deliverDue()).toMatchObject({ retrying: 1 })
    expect((await webhooks.deliveries(TENANT)).deliveries).toMatchObject([
      { attempts: 2, lastError: 'ECONNREFUSED' },
    ])
  })
})

describe('SH-23 the next attempt', () => {
  const failing = (status: number, headers: Record<string, string> = {}): Webhooks =>
    open({ fetch: async () => new Response('a secret body', { status, headers }) })

  const waitAfter = async (webhooks: Webhooks): Promise<number> => {
    await webhooks.endpoints.create({ tenant: TENANT, url: HOOK })
    await scim.user('ada@corp.example')
    await webhooks.deliverDue()
    const { deliveries } = await webhooks.deliveries(TENANT)
    return ((deliveries[0]?.nextAt?.getTime() ?? 0) - scim.runtime.now().getTime()) / 1_000
  }

  test('comes after the next delay and at most a tenth more', async () => {
    const webhooks = failing(500)
    const waits = [await waitAfter(webhooks)]
    for (const delay of [30, 120, 600, 3_600, 21_600, 86_400]) {
      await scim.runtime.advance(delay * 1_000)
      await webhooks.deliverDue()
      const [one] = (await webhooks.deliveries(TENANT)).deliveries
      waits.push(((one?.nextAt?.getTime() ?? 0) - scim.runtime.now().getTime()) / 1_000)
    }
    const delays = [5, 30, 120, 600, 3_600, 21_600, 86_400]
    expect(waits.map((wait, n) => wait >= (delays[n] ?? 0))).toEqual(delays.map(() => true))
    expect(waits.map((wait, n) => wait <= (delays[n] ?? 0) * 1.1)).toEqual(delays.map(() => true))
    await scim.runtime.advance(100_000_000)
    expect(await webhooks.deliverDue()).toMatchObject({ failed: 1 })
  })

  test.each([
    [429, '100', 100],
    [503, '60', 60],
    [503, '1', 5],
    [500, '100', 5],
    [429, '9999999', 86_400],
    [429, 'soon', 5],
  ])('after %i with Retry-After %s comes in %i seconds', async (status, retryAfter, seconds) => {
    const wait = await waitAfter(failing(status, { 'retry-after': retryAfter }))
    expect(wait).toBeGreaterThanOrEqual(seconds)
    expect(wait).toBeLessThanOrEqual(seconds * 1.1)
  })

  test('Retry-After may be a date', async () => {
    const at = new Date(scim.runtime.now().getTime() + 90_000).toUTCString()
    const wait = await waitAfter(failing(429, { 'retry-after': at }))
    expect(Math.abs(wait - 90)).toBeLessThanOrEqual(1)
  })

  test('the error that is kept is short, and holds nothing of the body', async () => {
    const webhooks = failing(500)
    await waitAfter(webhooks)
    expect((await webhooks.deliveries(TENANT)).deliveries[0]?.lastError).toBe('HTTP 500')
    const loud = open({ fetch: () => Promise.reject(new Error('x'.repeat(1_000))) })
    await scim.runtime.advance(6_000)
    await loud.deliverDue()
    expect((await loud.deliveries(TENANT)).deliveries[0]?.lastError).toBe('x'.repeat(200))
  })
})

test('SH-28 an older event is sent again by replay alone', async () => {
  const bodies: string[] = []
  const webhooks = open({
    fetch: async (_url, { body }) => {
      bodies.push(body)
      return new Response(null, { status: 204 })
    },
  })
  await scim.user('ada@corp.example')
  const { id } = await webhooks.endpoints.create({ tenant: TENANT, url: HOOK })
  await scim.user('bo@corp.example')
  await webhooks.deliverDue()
  expect(bodies).toHaveLength(1)
  const from = new Date(0)
  expect(await webhooks.replay(TENANT, { endpointId: id, from })).toEqual({ count: 2 })
  await webhooks.deliverDue()
  expect(bodies).toHaveLength(3)
  expect(bodies.at(-1)).toBe(bodies[0])
  expect(bodies[1]).toContain('ada@corp.example')
})
