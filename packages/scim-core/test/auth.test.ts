import {
  createScimService,
  createScimTokens,
  type ScimAuth,
  type ScimPrincipal,
} from '@x/scim-core'
import { createMemoryScimStore, createMemoryTokenStore } from '@x/scim-core/memory'
import { createScimClient, createTestRuntime } from '@x/scim-core/testing'
import { describe, expect, test } from 'vitest'
import { BASE, createScim, problem, TOKEN } from './support.ts'

const principal = (fields: Partial<ScimPrincipal> = {}): ScimPrincipal => ({
  id: 'host-user',
  tenant: 'default',
  scopes: ['users:read', 'users:write', 'groups:read', 'groups:write'],
  kind: 'host',
  ...fields,
})

test.each(['', ' ', 'a long random secret'])(
  'SC-68 a token that no header can carry is refused when the service is made: %j',
  (token) => {
    const options = { store: createMemoryScimStore(), baseUrl: BASE }
    expect(() => createScimService({ ...options, auth: { kind: 'token', token } })).toThrow(
      /^The SCIM token /,
    )
  },
)

describe('SC-2 host authentication', () => {
  test('authenticate decides; the bearer token is ignored', async () => {
    const scim = createScim({ auth: { kind: 'host', authenticate: () => principal() } })
    expect((await createScimClient(scim.service.handle).get('/Users')).status).toBe(200)
    expect(scim.payloads.at(-1)?.event).toMatchObject({ entry: { actor: 'host-user' } })
  })

  test('null is 401; an error is 401 and reported; a Response is returned as it is', async () => {
    const refused = createScim({ auth: { kind: 'host', authenticate: () => null } })
    expect((await refused.get('/Users')).body).toMatchObject(problem(401))
    const failure = new Error('directory down')
    const failing = createScim({
      auth: { kind: 'host', authenticate: () => Promise.reject(failure) },
    })
    expect((await failing.get('/Users')).body).toMatchObject(problem(401))
    expect(failing.errors).toEqual([failure])
    const own = new Response('go away', { status: 429 })
    const answering = createScim({ auth: { kind: 'host', authenticate: () => own } })
    expect(
      await answering.service.handle(new Request('https://host.example/api/v1/scim/v2/Users')),
    ).toBe(own)
    expect(answering.payloads.at(-1)?.event).toMatchObject({ entry: { status: 429 } })
  })

  test('a Response of another realm is returned as it is too', async () => {
    const other = { status: 429, headers: new Headers(), [Symbol.toStringTag]: 'Response' }
    const own = other as unknown as Response
    const answering = createScim({ auth: { kind: 'host', authenticate: () => own } })
    const request = new Request('https://host.example/api/v1/scim/v2/Users')
    expect(await answering.service.handle(request)).toBe(own)
  })

  test('with a principal in the context authenticate is not called; disabled comes first', async () => {
    const authenticate = (): never => {
      throw new Error('called')
    }
    const scim = createScim({ auth: { kind: 'host', authenticate } })
    const client = createScimClient(scim.service.handle, { context: { principal: principal() } })
    expect((await client.get('/Users')).status).toBe(200)
    const disabled = createScim({ enabled: false, auth: { kind: 'host', authenticate } })
    expect((await disabled.get('/Users')).status).toBe(401)
    expect(disabled.errors).toEqual([])
  })
})

describe('D2 configuration', () => {
  test.each(['', '   ', '\t\n'])('a static token of white space is refused: %j', (token) => {
    expect(() => createScim({ auth: { kind: 'token', token } })).toThrow(
      expect.objectContaining({ name: 'ScimConfigError', option: 'auth' }),
    )
  })

  test.each([
    [{ baseUrl: '/scim' }, 'baseUrl'],
    [{ baseUrl: 'ftp://x/scim' }, 'baseUrl'],
    [{ basePath: 'scim' }, 'basePath'],
    [{ pageSize: 0 }, 'pageSize'],
    [{ maxPageSize: 1.5 }, 'maxPageSize'],
    [{ limits: { bodyBytes: -1 } }, 'limits.bodyBytes'],
    [{ allowedAddresses: ['10.0.0.0/33'] }, 'allowedAddresses'],
    [{ allowedAddresses: ['nonsense'] }, 'allowedAddresses'],
    [{ cursor: { ttl: 0 } }, 'cursor.ttl'],
    [{ cursor: { secret: '' } }, 'cursor'],
  ])('%j', (options, option) => {
    expect(() => createScim(options)).toThrow(expect.objectContaining({ option }))
  })
})

describe('SC-81 allowedAddresses', () => {
  const cases: readonly [string, string | undefined, number][] = [
    ['10.0.0.0/8', '10.255.0.1', 200],
    ['10.0.0.0/8', '11.0.0.1', 403],
    ['10.0.0.0/8', '::ffff:10.1.1.1', 200],
    ['192.0.2.7', '192.0.2.7', 200],
    ['192.0.2.7', '192.0.2.8', 403],
    ['2001:db8::/32', '2001:db8:1::5', 200],
    ['2001:db8::/32', '2001:db9::5', 403],
    ['0.0.0.0/0', '8.8.8.8', 200],
    ['0.0.0.0/0', '::1', 403],
    ['fe80::/10', 'fe80::1%eth0', 200],
    ['::1', '[::1]', 200],
    ['10.0.0.0/8', undefined, 403],
    ['10.0.0.0/8', 'garbage', 403],
  ]
  test.each(cases)('%s and %s: %i', async (range, clientAddress, status) => {
    const scim = createScim({ allowedAddresses: [range] })
    const context = clientAddress === undefined ? {} : { clientAddress }
    const client = createScimClient(scim.service.handle, { token: TOKEN, context })
    expect((await client.get('/Users')).status).toBe(status)
  })
})

describe('SC-67 tenants', () => {
  test('tenants do not see each other', async () => {
    const store = createMemoryScimStore()
    const of = (tenant: string) =>
      createScim({
        store,
        runtime: {
          ...createTestRuntime(),
          uuid: () => crypto.getRandomValues(new Uint8Array(8)).join('-'),
        },
        auth: { kind: 'host', authenticate: () => principal({ tenant }) },
      })
    const [acme, globex] = [of('acme'), of('globex')]
    const id = await acme.user('ada@corp.example')
    const group = await acme.group('Team', [id])
    for (const path of [`/Users/${id}`, `/Groups/${group}`]) {
      expect((await globex.get(path)).body).toMatchObject(problem(404))
      expect((await globex.patch(path, [])).status).toBe(404)
      expect((await globex.delete(path)).status).toBe(404)
    }
    expect((await globex.get('/')).body['totalResults']).toBe(0)
    const twin = await globex.user('ADA@corp.example')
    await globex.group('Team', [twin])
    const foreign = await globex.post('/Groups', { displayName: 'x', members: [{ value: id }] })
    const unknown = await globex.post('/Groups', { displayName: 'x', members: [{ value: 'none' }] })
    expect(foreign.body).toMatchObject(problem(400, 'invalidValue'))
    expect(String(foreign.body['detail']).replace(id, 'none')).toBe(unknown.body['detail'])
    expect((await acme.get('/Users')).body['totalResults']).toBe(1)
    const acmeNames = acme.payloads
      .map(({ event }) => Reflect.get(event as object, 'tenant'))
      .filter(Boolean)
    expect(new Set(acmeNames)).toEqual(new Set(['acme']))
  })

  test('context, then resolveTenant, then the principal; a principal of another tenant is 401', async () => {
    const auth = { kind: 'host', authenticate: () => principal({ tenant: 'acme' }) } as const
    const resolved = createScim({ auth, resolveTenant: () => 'acme' })
    expect((await resolved.get('/Users')).status).toBe(200)
    expect((await createScim({ auth, resolveTenant: () => 'other' }).get('/Users')).status).toBe(
      401,
    )
    const client = createScimClient(resolved.service.handle, { context: { tenant: 'globex' } })
    expect((await client.get('/Users')).body).toMatchObject(problem(401))
    expect((await createScim({ resolveTenant: () => 'acme' }).get('/Users')).status).toBe(401)
  })
})

test.each([undefined, null, '', 5])(
  'SC-67 a principal with the tenant %j is refused, and onError is called',
  async (tenant) => {
    const wrong = { ...principal(), tenant } as ScimPrincipal
    const ways: ScimAuth[] = [
      { kind: 'host', authenticate: () => wrong },
      { kind: 'bearer', authenticate: () => wrong },
      { kind: 'tokens', service: { authenticate: async () => wrong } },
    ]
    for (const auth of ways) {
      for (const resolveTenant of [undefined, () => 'default']) {
        const scim = createScim({ auth, ...(resolveTenant && { resolveTenant }) })
        expect(await scim.get('/Users')).toMatchObject({
          status: 500,
          body: { detail: 'Internal error' },
        })
        expect(scim.errors).toMatchObject([
          { message: 'The principal that authenticate returned has no tenant' },
        ])
      }
    }
  },
)

describe('SC-69 SC-76 token service', () => {
  const setUp = () => {
    const runtime = createTestRuntime()
    const store = createMemoryTokenStore()
    const service = createScimTokens({ store, runtime })
    const scim = createScim({
      auth: { kind: 'tokens', service },
      runtime,
      resolveMe: () => 'nobody',
    })
    const status = async (token: string, path = '/Users'): Promise<number> =>
      (await createScimClient(scim.service.handle, { token }).get(path)).status
    return { runtime, store, service, scim, status }
  }

  test('a token is shown once and stored only as a digest', async () => {
    const { service, store, status } = setUp()
    const { id, token } = await service.issue({ tenant: 'default', label: 'Okta' })
    expect(token).toMatch(/^scim_[\w-]{43}$/)
    expect(await status(token)).toBe(200)
    expect(await status(`${token}x`)).toBe(401)
    const [record] = await store.list('default')
    expect(record?.digest).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify([record, await service.list('default')])).not.toContain(token)
    expect(await service.list('default')).toMatchObject([{ id, label: 'Okta' }])
    expect(await service.list('other')).toEqual([])
  })

  test('notBefore, expiry and revocation need no restart', async () => {
    const { runtime, service, status } = setUp()
    const start = runtime.now().getTime()
    const { token } = await service.issue({
      tenant: 'default',
      notBefore: new Date(start + 1_000),
      expiresAt: new Date(start + 5_000),
    })
    expect(await status(token)).toBe(401)
    await runtime.advance(1_000)
    expect(await status(token)).toBe(200)
    await runtime.advance(4_000)
    expect(await status(token)).toBe(401)
    const other = await service.issue({ tenant: 'default' })
    expect(await status(other.token)).toBe(200)
    await service.revoke('default', other.id)
    expect(await status(other.token)).toBe(401)
  })

  test('rotation: both are valid during the overlap, with the same rights', async () => {
    const { runtime, service, status } = setUp()
    const old = await service.issue({ tenant: 'default', scopes: ['users:read'] })
    const fresh = await service.rotate('default', old.id, { overlapSeconds: 60 })
    expect([
      await status(old.token),
      await status(fresh.token),
      await status(fresh.token, '/Groups'),
    ]).toEqual([200, 200, 403])
    await runtime.advance(60_000)
    expect([await status(old.token), await status(fresh.token)]).toEqual([401, 200])
    await expect(service.rotate('default', 'none')).rejects.toMatchObject({ code: 'not_found' })
    await expect(service.revoke('default', 'none')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('the default overlap is a day and never extends the expiry', async () => {
    const { runtime, service, store } = setUp()
    const start = runtime.now().getTime()
    const endOf = async (id: string): Promise<number | undefined> =>
      (await store.get(id))?.expiresAt?.getTime()
    const old = await service.issue({ tenant: 'default', label: 'Okta', scopes: ['groups:read'] })
    const fresh = await service.rotate('default', old.id)
    expect(await endOf(old.id)).toBe(start + 86_400_000)
    expect(await store.get(fresh.id)).toMatchObject({
      tenant: 'default',
      label: 'Okta',
      scopes: ['groups:read'],
      revokedAt: null,
    })
    const short = await service.issue({ tenant: 'default', expiresAt: new Date(start + 1_000) })
    await service.rotate('default', short.id)
    expect(await endOf(short.id)).toBe(start + 1_000)
  })

  test('revoking a token twice emits one event; lists show no digest', async () => {
    const { runtime, service } = setUp()
    const seen: string[] = []
    service.events.on('token.revoked', ({ id }) => seen.push(id))
    const { id } = await service.issue({ tenant: 'default' })
    await service.revoke('default', id)
    const revokedAt = runtime.now()
    await runtime.advance(1_000)
    await service.revoke('default', id)
    expect(seen).toEqual([id])
    const [info] = await service.list('default')
    expect(info).toMatchObject({ id, revokedAt })
    expect(info).not.toHaveProperty('digest')
  })

  test('AB-81 SH-51 a revoked or expired token is not rotated, nor one of another tenant', async () => {
    const { runtime, service, store } = setUp()
    const expiresAt = new Date(runtime.now().getTime() + 1_000)
    const revoked = await service.issue({ tenant: 'default' })
    const short = await service.issue({ tenant: 'default', expiresAt })
    await service.revoke('default', revoked.id)
    await runtime.advance(1_000)
    const conflict = { code: 'conflict', status: 409 }
    await expect(service.rotate('default', revoked.id)).rejects.toMatchObject({
      ...conflict,
      detail: 'The token has been revoked.',
    })
    await expect(service.rotate('default', short.id)).rejects.toMatchObject({
      ...conflict,
      detail: 'The token has expired.',
    })
    await expect(service.rotate('other', revoked.id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(service.revoke('other', short.id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await store.list('default')).toHaveLength(2)
  })

  test('AB-81 SH-51 the successor of an expiring token gets the same lifetime, or the one given', async () => {
    const { runtime, service, store } = setUp()
    const day = 86_400_000
    const start = runtime.now().getTime()
    const old = await service.issue({
      tenant: 'default',
      notBefore: new Date(start + day),
      expiresAt: new Date(start + 91 * day),
    })
    await runtime.advance(2 * day)
    const fresh = await service.rotate('default', old.id)
    expect((await store.get(fresh.id))?.expiresAt?.getTime()).toBe(start + 92 * day)
    const told = await service.rotate('default', fresh.id, { expiresAt: new Date(start + 3 * day) })
    expect((await store.get(told.id))?.expiresAt?.getTime()).toBe(start + 3 * day)
  })

  test('AB-82 SH-50 a token stays valid while lastUsedAt cannot be written, and no request waits for the write', async () => {
    const tokens = createMemoryTokenStore()
    const failures: unknown[] = []
    const full = new Error('The disk is full')
    let fail = (): void => undefined
    const written = new Promise<never>((_resolve, reject) => {
      fail = () => reject(full)
    })
    const service = createScimTokens({
      store: { ...tokens, update: () => written },
      onError: (error) => failures.push(error),
    })
    const { token } = await service.issue({ tenant: 'default' })
    expect(await service.authenticate(token)).toMatchObject({ tenant: 'default' })
    expect(await service.authenticate(token)).toMatchObject({ tenant: 'default' })
    fail()
    await expect.poll(() => failures).toEqual([full])
    expect(await service.authenticate(token)).toMatchObject({ tenant: 'default' })
  })

  test('lastUsedAt is written at most once a minute', async () => {
    const { runtime, service, store, status } = setUp()
    const { id, token } = await service.issue({ tenant: 'default' })
    const used = async (): Promise<number | undefined> =>
      (await store.get(id))?.lastUsedAt?.getTime()
    await status(token)
    const first = await used()
    expect(first).toBe(runtime.now().getTime())
    await runtime.advance(59_000)
    await status(token)
    expect(await used()).toBe(first)
    await runtime.advance(1_000)
    await status(token)
    expect(await used()).toBe(runtime.now().getTime())
  })

  test('SC-73 events have the id of the token, never the token', async () => {
    const { service } = setUp()
    const seen: [string, object][] = []
    service.events.on('*', (event, name?: string) => seen.push([name ?? '', event]))
    const { id, token } = await service.issue({ tenant: 'default' })
    await service.rotate('default', id)
    await service.revoke('default', id)
    expect(seen.map(([name]) => name)).toEqual(['token.issued', 'token.rotated', 'token.revoked'])
    expect(seen[0]?.[1]).toMatchObject({ tokenId: id, tenant: 'default' })
    expect(JSON.stringify(seen)).not.toContain(token)
  })

  test('SC-70 scopes', async () => {
    const { service, scim } = setUp()
    const allowed = async (scopes: ScimPrincipal['scopes']): Promise<string[]> => {
      const { token } = await service.issue({ tenant: 'default', scopes })
      const client = createScimClient(scim.service.handle, { token })
      const search = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'] }
      const attempts: Record<string, Promise<{ status: number }>> = {
        'list users': client.get('/Users'),
        'head users': client.send('HEAD', '/Users/x'),
        'read me': client.get('/Me'),
        'write me': client.delete('/Me'),
        'search users': client.post('/Users/.search', search),
        'write users': client.post('/Users', {}),
        'list groups': client.get('/Groups'),
        'write groups': client.delete('/Groups/x'),
        'search all': client.get('/'),
        discovery: client.get('/Schemas'),
      }
      const names: string[] = []
      for (const [name, attempt] of Object.entries(attempts))
        if ((await attempt).status !== 403) names.push(name)
      return names
    }
    expect(await allowed([])).toEqual(['discovery'])
    const reading = ['list users', 'head users', 'read me', 'search users']
    expect(await allowed(['users:read'])).toEqual([...reading, 'discovery'])
    expect(await allowed(['users:write'])).toEqual(['write me', 'write users', 'discovery'])
    expect(await allowed(['groups:read', 'users:read'])).toEqual([
      ...reading,
      'list groups',
      'search all',
      'discovery',
    ])
    expect(await allowed(['groups:write'])).toEqual(['write groups', 'discovery'])
  })
})
