import { createHmac, randomBytes } from 'node:crypto'
import { createScimService } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createWebhooks } from '@x/scim-core/outbound'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, test } from 'vitest'
import { startExample, type Example } from '../../../tools/start-example.ts'

const TENANT = 'acme'
let example: Example | undefined
afterEach(() => example?.stop())

const start = async (secret: string): Promise<Example> =>
  (example = await startExample(new URL('../', import.meta.url), { WEBHOOK_SECRET: secret }))

test('SH-80 signed deliveries are accepted, also while the secret is rotated', async () => {
  const store = createMemoryScimStore()
  const service = createScimService({
    store,
    baseUrl: 'https://app.example/scim/v2',
    auth: { kind: 'token', token: 'x' },
    outbox: true,
  })
  const webhooks = createWebhooks({
    store: store.outbox,
    secretKey: 'k'.repeat(32),
    allowLoopback: true,
  })
  const endpoint = { tenant: TENANT, url: 'http://127.0.0.1:1/' }
  const { id, secret } = await webhooks.endpoints.create(endpoint)
  const { url } = await start(secret)
  await webhooks.endpoints.update(TENANT, id, { url })
  await service.users.create(TENANT, { userName: 'ada@corp.example' })
  expect(await webhooks.deliverDue()).toMatchObject({ delivered: 1, retrying: 0 })
  await webhooks.endpoints.rotate(TENANT, id)
  await service.users.create(TENANT, { userName: 'bob@corp.example' })
  expect(await webhooks.deliverDue()).toMatchObject({ delivered: 1, retrying: 0 })
})

test('SH-80 repeated events are acknowledged; events with an invalid signature are refused', async () => {
  const key = randomBytes(32)
  const { url } = await start(`whsec_${key.toString('base64')}`)
  const body = '{"type":"user.created","timestamp":"2031-01-01T00:00:00Z","data":{"id":"1"}}'
  const send = async (signature?: string): Promise<number> => {
    const seconds = String(Math.floor(Date.now() / 1000))
    const digest = createHmac('sha256', key).update(`e1.${seconds}.${body}`).digest('base64')
    const headers = {
      'webhook-id': 'e1',
      'webhook-timestamp': seconds,
      'webhook-signature': signature ?? `v1,${digest}`,
    }
    const response = await fetch(url, { method: 'POST', headers, body })
    return response.status
  }
  expect([await send(), await send(), await send('v1,AAAA')]).toEqual([204, 204, 400])
  expect(await fetch(url, { method: 'POST', body: 'x'.repeat(3 * 1024 * 1024) })).toMatchObject({
    status: 413,
  })
})

test('SH-22 the Standard Webhooks library accepts the deliveries', async () => {
  const store = createMemoryScimStore()
  const service = createScimService({
    store,
    baseUrl: 'https://app.example/scim/v2',
    auth: { kind: 'token', token: 'x' },
    outbox: true,
  })
  const sent: { readonly headers: Record<string, string>; readonly body: string }[] = []
  const webhooks = createWebhooks({
    store: store.outbox,
    secretKey: 'k'.repeat(32),
    fetch: async (_url, { headers, body }) => {
      sent.push({ headers: { ...headers }, body })
      return new Response(null, { status: 204 })
    },
  })
  const endpoint = { tenant: TENANT, url: 'https://hooks.example/' }
  const { id, secret } = await webhooks.endpoints.create(endpoint)
  await service.users.create(TENANT, { userName: 'ada@corp.example' })
  await webhooks.deliverDue()
  const { secret: next } = await webhooks.endpoints.rotate(TENANT, id)
  await service.users.create(TENANT, { userName: 'bob@corp.example' })
  await webhooks.deliverDue()
  const [first, second] = sent
  if (first === undefined || second === undefined) throw new Error('Two events are sent')
  const verified = new Webhook(secret).verify(first.body, first.headers)
  expect(verified).toMatchObject({ type: 'user.created' })
  for (const one of [secret, next]) {
    expect(new Webhook(one).verify(second.body, second.headers)).toMatchObject({
      data: { after: { userName: 'bob@corp.example' } },
    })
  }
  expect(() => new Webhook(secret).verify(`${second.body} `, second.headers)).toThrow()
})
