import { defineResourceType, type ScimOptions } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createSecurityEvents, type SecurityEventsOptions } from '@x/scim-core/outbound'
import { createSignalReceiver } from '@x/scim-core/signals'
import { decodeJwt, exportJWK, generateKeyPair } from 'jose'
import { describe, expect, test } from 'vitest'
import { BASE, createScim, ENTERPRISE } from './support.ts'

const TENANT = 'default'
const PROV = 'urn:ietf:params:scim:event:prov:'
const { privateKey } = await generateKeyPair('ES256', { extractable: true })
const KEY = await exportJWK(privateKey)

interface Claims {
  readonly jti: string
  readonly sub_id: { readonly uri: string }
  readonly events: Record<string, Record<string, unknown>>
}

/** A service, and the claims of the tokens that its changes cause. */
async function setUp(
  options: Partial<SecurityEventsOptions> = {},
  service: Partial<ScimOptions> = {},
) {
  const store = createMemoryScimStore()
  const scim = createScim({ store, outbox: true, ...service })
  const tokens: string[] = []
  const sets = createSecurityEvents({
    store: store.outbox,
    secretKey: 'a secret key of at least 32 characters',
    issuer: 'https://app.example',
    baseUrl: BASE,
    key: KEY,
    runtime: scim.runtime,
    fetch: async (_url, { body }) => {
      tokens.push(body)
      return new Response(null, { status: 202 })
    },
    ...options,
  })
  await sets.streams.create({
    tenant: TENANT,
    audience: 'https://peer.example',
    delivery: { method: 'push', url: 'https://peer.example/sets' },
  })
  const claimsOf = async (change: () => Promise<unknown>): Promise<Claims[]> => {
    await change()
    await sets.deliverDue()
    return tokens.splice(0).map((token) => decodeJwt<Claims>(token))
  }
  const eventsOf = async (change: () => Promise<unknown>) =>
    (await claimsOf(change)).map(({ events }) => events)
  return { scim, sets, store, claimsOf, eventsOf }
}

describe('SH-30 the URIs of a change', () => {
  test('of users: one token for each request, with an event for each kind of change', async () => {
    const { scim, eventsOf } = await setUp({}, { deleteUser: 'deactivate' })
    let id = ''
    await eventsOf(async () => (id = await scim.user('ada@corp.example', { active: true })))
    const path = `/Users/${id}`
    const notice = (name: string, ...attributes: string[]) => ({
      [`${PROV}${name}:notice`]: { attributes },
    })
    expect(
      await eventsOf(() => scim.put(path, { userName: 'ada@corp.example', active: false })),
    ).toEqual([{ ...notice('put', 'active'), [`${PROV}deactivate`]: {} }])
    expect(
      await eventsOf(() => scim.patch(path, [{ op: 'replace', path: 'active', value: true }])),
    ).toEqual([{ ...notice('patch', 'active'), [`${PROV}activate`]: {} }])
    expect(await eventsOf(() => scim.delete(path))).toEqual([
      { ...notice('patch', 'active'), [`${PROV}deactivate`]: {} },
    ])
    const inProcess = () =>
      scim.service.users.replace(TENANT, id, { userName: 'ada@corp.example', title: 'x' })
    expect(await eventsOf(inProcess)).toEqual([
      { [`${PROV}patch:notice`]: { attributes: expect.arrayContaining(['title']) as string[] } },
    ])
  })

  test.each(['remove', 'tombstone'] as const)(
    'of a deleted user and the groups left (%s)',
    async (deleteUser) => {
      const { scim, claimsOf } = await setUp({}, { deleteUser })
      let [id, group] = ['', '']
      await claimsOf(async () => (id = await scim.user('ada@corp.example', { active: true })))
      await claimsOf(async () => (group = await scim.group('Core', [id])))
      const claims = await claimsOf(() => scim.delete(`/Users/${id}`))
      expect(
        Object.fromEntries(claims.map(({ sub_id: { uri }, events }) => [uri, events])),
      ).toEqual({
        [`/Users/${id}`]: { [`${PROV}deactivate`]: {}, [`${PROV}delete`]: {} },
        [`/Groups/${group}`]: { [`${PROV}patch:notice`]: { attributes: ['members'] } },
      })
    },
  )

  test('of a resource type of the host, at its endpoint', async () => {
    const store = createMemoryScimStore()
    const Device = defineResourceType({
      name: 'Device',
      endpoint: '/Machines',
      schema: { urn: 'urn:example:device', attributes: [{ name: 'displayName' }] },
      store: store.resources('Device'),
    })
    const { scim, claimsOf } = await setUp(
      { store: store.outbox, resourceTypes: [Device] },
      { store, resourceTypes: [Device] },
    )
    const [claims] = await claimsOf(() => scim.post('/Machines', { displayName: 'Door' }))
    expect(claims).toMatchObject({
      sub_id: { format: 'scim', uri: expect.stringMatching(/^\/Machines\/[\w-]+$/) as string },
      events: { [`${PROV}create:notice`]: { attributes: ['displayName'] } },
    })
  })
})

describe('SH-31 the payload of a change', () => {
  test('full: operations set the final value of attributes, also of extensions', async () => {
    const { scim, eventsOf } = await setUp({ mode: 'full' })
    const start = {
      [ENTERPRISE]: { department: 'R&D', costCenter: '7' },
      emails: [{ value: 'a@corp.example', type: 'work' }],
      name: { familyName: 'King', honorificPrefix: 'Dr' },
      nickName: 'A',
    }
    let id = ''
    await eventsOf(async () => (id = await scim.user('ada@corp.example', start)))
    const [events] = await eventsOf(() =>
      scim.patch(`/Users/${id}`, [
        { op: 'replace', path: `${ENTERPRISE}:department`, value: 'Sales' },
        { op: 'remove', path: `${ENTERPRISE}:costCenter` },
        { op: 'add', path: 'emails[type eq "home"].value', value: 'b@home.example' },
        { op: 'replace', path: 'name.givenName', value: 'Ada' },
        { op: 'remove', path: 'name.honorificPrefix' },
        { op: 'remove', path: 'nickName' },
      ]),
    )
    const { data } = events?.[`${PROV}patch:full`] ?? {}
    // A receiver that applies the operations to its copy has what GET shows.
    const other = createScim()
    const copy = await other.user('ada@corp.example', start)
    const applied = await other.patch(`/Users/${copy}`, data)
    expect(applied.status).toBe(200)
    const strip = ({ id: _id, meta: _meta, ...rest }: Record<string, unknown>) => rest
    expect(strip(applied.body)).toEqual(strip((await scim.get(`/Users/${id}`)).body))
  })

  test.each(['notice', 'full'] as const)(
    '%s: exactly one of data and attributes, and version with etag alone',
    async (mode) => {
      for (const etag of [true, false]) {
        const { scim, eventsOf } = await setUp({ mode }, { etag })
        let id = ''
        const all = [
          ...(await eventsOf(async () => (id = await scim.user('ada@corp.example')))),
          ...(await eventsOf(() =>
            scim.patch(`/Users/${id}`, [{ op: 'add', path: 'title', value: 'x' }]),
          )),
          ...(await eventsOf(() => scim.put(`/Users/${id}`, { userName: 'ada@corp.example' }))),
          ...(await eventsOf(() => scim.group('Core', [id]))),
        ]
        expect(all.length).toBe(4)
        const payloads = all.flatMap((events) => Object.values(events))
        expect(payloads.length).toBe(5)
        for (const payload of payloads) {
          expect(['data', 'attributes'].filter((name) => name in payload)).toEqual([
            mode === 'full' ? 'data' : 'attributes',
          ])
        }
        expect(payloads.slice(0, 3).map((one) => one['version'])).toEqual(
          etag ? ['W/"1"', 'W/"2"', 'W/"3"'] : [undefined, undefined, undefined],
        )
        for (const events of all) expect(JSON.stringify(events)).not.toContain('feed:')
      }
    },
  )

  test(
    'full: members come with at most 1,000 ids in a token, each token with a jti of its own',
    { tags: ['long'] },
    async () => {
      const { scim, claimsOf } = await setUp({ mode: 'full' })
      const ids: string[] = []
      await claimsOf(async () => {
        for (let n = 0; n < 1_100; n += 1) {
          ids.push((await scim.service.users.create(TENANT, { userName: `u${n}@x.example` })).id)
        }
      })
      const claims = await claimsOf(() => scim.group('All', ids))
      expect(new Set(claims.map(({ jti }) => jti)).size).toBe(claims.length)
      const added = claims.map(({ events }) => {
        const { data } = events[`${PROV}patch:full`] ?? {}
        const { Operations: operations } = data as { Operations: { op: string; value: object[] }[] }
        return operations.flatMap(({ op, value }) => (op === 'add' ? value : []))
      })
      expect(added.map(({ length }) => length)).toEqual([1_000, 100])
      expect(new Set(added.flat().map((one) => Reflect.get(one, 'value') as string)).size).toBe(
        1_100,
      )
      expect(Object.keys(claims[0]?.events ?? {})).toEqual([
        `${PROV}create:full`,
        `${PROV}patch:full`,
      ])
    },
  )

  test('Prefer: respond-async changes nothing', async () => {
    const { scim, eventsOf } = await setUp()
    const [events] = await eventsOf(async () => {
      const answer = await scim.send('POST', '/Users', {
        body: JSON.stringify({ userName: 'ada@corp.example' }),
        headers: { prefer: 'respond-async' },
      })
      expect(answer.status).toBe(201)
    })
    expect(Object.keys(events ?? {})).toEqual([`${PROV}create:notice`])
  })
})

describe('streams', () => {
  test('are listed without credentials, changed and removed within their tenant', async () => {
    const { sets } = await setUp()
    const { id, token = '' } = await sets.streams.create({
      tenant: TENANT,
      audience: 'https://poll.example',
      delivery: { method: 'poll' },
    })
    const poll = async (): Promise<number> =>
      (
        await sets.handle(
          new Request(`${BASE}/SecurityEvents/${id}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${token}` },
            body: '{"returnImmediately":true}',
          }),
        )
      ).status
    const listed = await sets.streams.list(TENANT)
    expect(listed.map(({ delivery }) => delivery)).toEqual([
      { method: 'push', url: 'https://peer.example/sets' },
      { method: 'poll' },
    ])
    expect(JSON.stringify(listed)).not.toContain(token)
    expect(await sets.streams.list('other')).toEqual([])
    expect(await poll()).toBe(200)
    expect(await sets.streams.update('other', id, { enabled: false })).toBe(false)
    expect(await sets.streams.update(TENANT, id, { enabled: false })).toBe(true)
    expect(await poll()).toBe(404)
    expect(await sets.streams.update(TENANT, id, { enabled: true })).toBe(true)
    expect(await poll()).toBe(200)
    expect(await sets.streams.remove('other', id)).toBe(false)
    expect(await sets.streams.remove(TENANT, id)).toBe(true)
    expect(await poll()).toBe(404)
  })

  test('a tenant has at most 20', async () => {
    const { sets } = await setUp()
    const create = () =>
      sets.streams.create({
        tenant: TENANT,
        audience: 'https://poll.example',
        delivery: { method: 'poll' },
      })
    for (let n = 1; n < 20; n += 1) await create()
    await expect(create()).rejects.toThrow(RangeError)
  })
})

describe('DP-49 who is out, told to other services', () => {
  const REVOKED = 'https://schemas.openid.net/secevent/caep/event-type/session-revoked'
  const USER = { emails: [{ value: 'Ada@corp.example' }], active: true }

  test('deactivation names the e-mail address, removal the id; nothing else is told', async () => {
    const { scim, claimsOf } = await setUp({ profile: 'caep' }, { deleteUser: 'remove' })
    let id = ''
    const silent = async (): Promise<void> => {
      id = await scim.user('ada@corp.example', USER)
      await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'title', value: 'T' }])
    }
    expect(await claimsOf(silent)).toEqual([])
    const off = [{ op: 'replace', path: 'active', value: false }]
    const event_timestamp = Math.floor(scim.runtime.now().getTime() / 1_000)
    const events = { [REVOKED]: { initiating_entity: 'admin', event_timestamp } }
    expect(await claimsOf(() => scim.patch(`/Users/${id}`, off))).toMatchObject([
      { sub_id: { format: 'email', email: 'Ada@corp.example' }, events },
    ])
    expect(await claimsOf(() => scim.delete(`/Users/${id}`))).toMatchObject([
      { sub_id: { format: 'opaque', id }, events },
    ])
    expect(await claimsOf(() => scim.group('g'))).toEqual([])
  })

  test('a receiver of another service ends the sessions; metadata describes the transmitter', async () => {
    const ended: string[] = []
    const peer = createMemoryScimStore()
    const there = createScim({ store: peer })
    const known = await there.user('ada@corp.example', USER)
    const tokens: string[] = []
    const { scim, sets } = await setUp({
      profile: 'caep',
      jwksUri: 'https://app.example/keys',
      fetch: async (_url, { body }) => {
        tokens.push(body)
        return new Response(null, { status: 202 })
      },
    })
    const receiver = createSignalReceiver({
      transmitters: [
        {
          issuer: 'https://app.example',
          jwks: { keys: [...sets.jwks().keys] },
          audience: 'https://peer.example',
        },
      ],
      tenant: () => TENANT,
      store: peer,
      runtime: scim.runtime,
      onSessionsEnd: ({ userId }) => void ended.push(userId),
    })
    const id = await scim.user('ada@corp.example', USER)
    await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: 'False' }])
    await sets.deliverDue()
    const [token = ''] = tokens
    const answer = await receiver.handle(
      new Request('https://peer.example/sets', {
        method: 'POST',
        headers: { 'content-type': 'application/secevent+jwt' },
        body: token,
      }),
    )
    expect([answer.status, ended]).toEqual([202, [known]])
    expect(sets.eventUris).toEqual([REVOKED])
    expect(sets.metadata()).toEqual({
      spec_version: '1_0',
      issuer: 'https://app.example',
      jwks_uri: 'https://app.example/keys',
      delivery_methods_supported: ['urn:ietf:rfc:8935', 'urn:ietf:rfc:8936'],
    })
  })
})
