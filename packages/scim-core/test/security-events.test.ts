import { createMemoryScimStore } from '@x/scim-core/memory'
import {
  createSecurityEvents,
  type SecurityEvents,
  type SecurityEventsOptions,
} from '@x/scim-core/outbound'
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify, type JWK } from 'jose'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startReceiver, type Receiver } from './receiver.ts'
import { BASE, createScim, type Harness } from './support.ts'

const TENANT = 'default'
const PROV = 'urn:ietf:params:scim:event:prov:'

const { privateKey } = await generateKeyPair('ES256', { extractable: true })
const KEY: JWK = await exportJWK(privateKey)

let receiver: Receiver
let store: ReturnType<typeof createMemoryScimStore>
let scim: Harness
let sets: SecurityEvents

const open = (options: Partial<SecurityEventsOptions> = {}): SecurityEvents =>
  createSecurityEvents({
    store: store.outbox,
    secretKey: 'a secret key of at least 32 characters',
    issuer: 'https://app.example',
    baseUrl: BASE,
    key: KEY,
    runtime: scim.runtime,
    allowLoopback: true,
    ...options,
  })

beforeEach(async () => {
  receiver = await startReceiver()
  store = createMemoryScimStore()
  scim = createScim({ store, outbox: true })
  sets = open()
})
afterEach(() => receiver.close())

const verified = async (token: string) =>
  jwtVerify(token, createLocalJWKSet({ keys: [...sets.jwks().keys] }), {
    audience: 'https://peer.example',
    issuer: 'https://app.example',
    currentDate: scim.runtime.now(),
  })

const push = (events?: readonly string[]) =>
  sets.streams.create({
    tenant: TENANT,
    audience: 'https://peer.example',
    delivery: { method: 'push', url: receiver.url, authorization: 'Bearer peer' },
    ...(events !== undefined && { events }),
  })

/** The `events` of the tokens that were pushed. */
const pushed = async (): Promise<Record<string, Record<string, unknown>>[]> =>
  Promise.all(
    receiver.requests.map(async ({ body }) => {
      const { payload } = await verified(body)
      return payload['events'] as Record<string, Record<string, unknown>>
    }),
  )

describe('push (RFC 8935)', () => {
  test('SH-29 SH-30 the events of a request come in one token, verified with the published key', async () => {
    await push()
    const ada = await scim.user('ada@corp.example', { externalId: 'HR-1', active: true })
    await scim.patch(`/Users/${ada}`, [
      { op: 'replace', path: 'active', value: false },
      { op: 'replace', path: 'title', value: 'x' },
    ])
    expect(await sets.deliverDue()).toEqual({ delivered: 2, retrying: 0, failed: 0 })
    const [first, second] = receiver.requests
    expect(first?.headers).toMatchObject({
      'content-type': 'application/secevent+jwt',
      accept: 'application/json',
      authorization: 'Bearer peer',
    })
    const { payload, protectedHeader } = await verified(first?.body ?? '')
    const [key] = sets.jwks().keys
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'secevent+jwt', kid: key?.kid })
    expect(key).not.toHaveProperty('d')
    expect(payload).toMatchObject({
      iss: 'https://app.example',
      aud: 'https://peer.example',
      sub_id: { format: 'scim', uri: `/Users/${ada}`, externalId: 'HR-1' },
    })
    expect(Object.keys(payload)).not.toContain('sub')
    expect(Object.keys(payload)).not.toContain('exp')
    expect(payload['events']).toEqual({
      [`${PROV}create:notice`]: {
        attributes: expect.arrayContaining(['userName', 'externalId', 'active']) as string[],
      },
    })
    const { payload: change } = await verified(second?.body ?? '')
    expect(change['events']).toEqual({
      [`${PROV}patch:notice`]: {
        attributes: expect.arrayContaining(['active', 'title']) as string[],
      },
      [`${PROV}deactivate`]: {},
    })
    const { events } = await store.outbox.read(TENANT, { types: ['user.updated'] })
    expect(change).toMatchObject({ jti: events[0]?.id, txn: events[0]?.requestId })
  })

  test('SH-31 full tokens carry resources and operations', async () => {
    sets = open({ mode: 'full' })
    await push()
    const ada = await scim.user('ada@corp.example', { title: 'Dr' })
    await sets.deliverDue()
    await scim.put(`/Users/${ada}`, { userName: 'ada@corp.example', nickName: 'A' })
    await sets.deliverDue()
    await scim.patch(`/Users/${ada}`, [
      { op: 'remove', path: 'nickName' },
      { op: 'add', path: 'title', value: 'Prof' },
    ])
    await sets.deliverDue()
    const group = await scim.group('Core', [ada])
    await sets.deliverDue()
    await scim.patch(`/Groups/${group}`, [
      { op: 'replace', path: 'displayName', value: 'Heart' },
      { op: 'remove', path: `members[value eq "${ada}"]` },
    ])
    await sets.deliverDue()
    await scim.delete(`/Groups/${group}`)
    await sets.deliverDue()
    const [create, put, patch, created, changed, gone] = await pushed()
    expect(create?.[`${PROV}create:full`]?.['data']).toMatchObject({ id: ada, title: 'Dr' })
    expect(put?.[`${PROV}put:full`]?.['data']).toMatchObject({ nickName: 'A' })
    expect(patch?.[`${PROV}patch:full`]?.['data']).toMatchObject({
      Operations: expect.arrayContaining([
        { op: 'remove', path: 'nickName' },
        { op: 'replace', path: 'title', value: 'Prof' },
      ]) as object[],
    })
    expect(Object.keys(created ?? {})).toEqual([`${PROV}create:full`, `${PROV}patch:full`])
    expect(created?.[`${PROV}create:full`]?.['data']).not.toHaveProperty('members')
    expect(changed?.[`${PROV}patch:full`]?.['data']).toMatchObject({
      Operations: [
        { op: 'replace', path: 'displayName', value: 'Heart' },
        { op: 'remove', path: `members[value eq "${ada}"]` },
      ],
    })
    expect(gone).toEqual({ [`${PROV}delete`]: {} })
  })

  test('SH-32 temporary errors of the receiver are retried, others are final', async () => {
    await push()
    const answer = (err: string): void => {
      receiver.answer = (_received, response) => {
        response.writeHead(400, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ err, description: 'd' }))
      }
    }
    answer('authentication_failed')
    await scim.user('ada@corp.example')
    expect(await sets.deliverDue()).toMatchObject({ retrying: 1 })
    answer('invalid_issuer')
    await scim.runtime.advance(10_000)
    expect(await sets.deliverDue()).toMatchObject({ failed: 1 })
    const { deliveries } = await store.outbox.deliveries.list(TENANT, {})
    expect(deliveries[0]?.lastError).toBe('HTTP 400 invalid_issuer')
  })

  test('a stream gets only the events it asked for', async () => {
    await push([`${PROV}deactivate`])
    const ada = await scim.user('ada@corp.example')
    await scim.delete(`/Users/${ada}`)
    await sets.deliverDue()
    expect(await pushed()).toEqual([{ [`${PROV}deactivate`]: {} }])
    await expect(push(['urn:example:other'])).rejects.toThrow(TypeError)
  })
})

describe('poll (RFC 8936)', () => {
  const stream = async (): Promise<{ url: string; token: string }> => {
    const { id, token = '' } = await sets.streams.create({
      tenant: TENANT,
      audience: 'https://peer.example',
      delivery: { method: 'poll' },
    })
    return { url: `${BASE}/SecurityEvents/${id}`, token }
  }
  const poll = async (
    { url, token }: { url: string; token: string },
    body: unknown,
  ): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await sets.handle(
      new Request(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    )
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const setsOf = ({ body }: { body: Record<string, unknown> }) =>
    body['sets'] as Record<string, string>

  test('SH-33 unacknowledged tokens are delivered again with the same jti', async () => {
    const peer = await stream()
    for (const name of ['ada', 'bo', 'cy']) await scim.user(`${name}@corp.example`)
    const first = await poll(peer, { maxEvents: 2 })
    expect(first).toMatchObject({ status: 200, body: { moreAvailable: true } })
    const jtis = Object.keys(setsOf(first))
    for (const token of Object.values(setsOf(first))) await verified(token)
    expect(Object.keys(setsOf(await poll(peer, { maxEvents: 2 })))).toEqual(jtis)
    const [good = '', bad = ''] = jtis
    const settled = { maxEvents: 0, ack: [good], setErrs: { [bad]: { err: 'invalid_key' } } }
    expect(await poll(peer, settled)).toEqual({ status: 200, body: { sets: {} } })
    const rest = await poll(peer, { returnImmediately: true })
    expect(Object.keys(setsOf(rest))).toHaveLength(1)
    expect(rest.body['moreAvailable']).toBeUndefined()
    const { deliveries } = await store.outbox.deliveries.list(TENANT, {})
    expect(deliveries.map(({ state }) => state)).toEqual(['delivered', 'failed', 'waiting'])
  })

  test('SH-33 one answer holds at most 100 tokens; ack and setErrs settle, maxEvents 0 only settles', async () => {
    const peer = await stream()
    for (let n = 0; n < 120; n += 1) {
      await scim.service.users.create(TENANT, { userName: `u${n}@corp.example` })
    }
    const all = await poll(peer, { maxEvents: 1_000 })
    expect(Object.keys(setsOf(all))).toHaveLength(100)
    expect(all.body['moreAvailable']).toBe(true)
    const none = await poll(peer, { maxEvents: 0, ack: Object.keys(setsOf(all)) })
    expect(none).toEqual({ status: 200, body: { sets: {} } })
    const rest = await poll(peer, {})
    expect(Object.keys(setsOf(rest))).toHaveLength(20)
    const setErrs = Object.fromEntries(
      Object.keys(setsOf(rest)).map((jti) => [jti, { err: 'invalid_key', description: 'why' }]),
    )
    const end = await poll(peer, { setErrs, ack: ['unknown'], returnImmediately: true })
    expect(end).toEqual({ status: 200, body: { sets: {} } })
    const { deliveries } = await store.outbox.deliveries.list(TENANT, { limit: 1_000 })
    expect(deliveries.filter(({ state }) => state === 'delivered')).toHaveLength(100)
    expect(deliveries.filter(({ state }) => state === 'failed')).toMatchObject(
      Array.from({ length: 20 }, () => ({ lastError: 'invalid_key: why' })),
    )
  })

  test('SH-33 the wait for a first token ends after 25 s', async () => {
    const peer = await stream()
    let isOver = false
    const empty = poll(peer, {}).finally(() => (isOver = true))
    for (let second = 0; second < 24; second += 1) await scim.runtime.advance(1_000)
    expect(isOver).toBe(false)
    for (let second = 0; second < 2; second += 1) await scim.runtime.advance(1_000)
    expect(await empty).toEqual({ status: 200, body: { sets: {} } })
  })

  test('SH-33 without returnImmediately it waits for a first token', async () => {
    const peer = await stream()
    const waiting = poll(peer, {})
    await scim.runtime.advance(1_500)
    await scim.user('ada@corp.example')
    await scim.runtime.advance(2_000)
    expect(Object.keys(setsOf(await waiting))).toHaveLength(1)
    const { url, token } = await stream()
    const empty = poll({ url, token }, {})
    for (let second = 0; second < 30; second += 1) await scim.runtime.advance(1_000)
    expect(await empty).toEqual({ status: 200, body: { sets: {} } })
  })

  test('SH-33 refuses unauthorised callers and unreadable bodies', async () => {
    const peer = await stream()
    expect((await poll({ ...peer, token: 'other' }, {})).status).toBe(401)
    expect((await poll({ ...peer, url: `${BASE}/SecurityEvents/none` }, {})).status).toBe(404)
    for (const body of ['{', '[]', { maxEvents: -1 }, { ack: 'x' }, { setErrs: { a: 1 } }]) {
      expect(await poll(peer, body)).toMatchObject({
        status: 400,
        body: { err: 'invalid_request' },
      })
    }
    const get = await sets.handle(new Request(peer.url))
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

test('SH-34 ServiceProviderConfig lists the events only with the option', async () => {
  const config = async (harness: Harness): Promise<unknown> =>
    (await harness.get('/ServiceProviderConfig')).body['securityEvents']
  expect(await config(scim)).toBeUndefined()
  expect(await config(createScim({ store, outbox: true, securityEvents: sets }))).toEqual({
    asyncRequest: 'none',
    eventUris: [
      ...['create', 'put', 'patch'].map((name) => `${PROV}${name}:notice`),
      ...['activate', 'deactivate', 'delete'].map((name) => PROV + name),
    ],
  })
})

test('a key may be a CryptoKey, whose public part is published', async () => {
  sets = open({ key: privateKey })
  await push()
  await scim.user('ada@corp.example')
  await sets.deliverDue()
  expect(await pushed()).toHaveLength(1)
})
