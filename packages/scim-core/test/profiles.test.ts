import { readScimSettings, SCIM_PROFILES, ScimConfigError, type ScimOptions } from '@x/scim-core'
import { describe, expect, test } from 'vitest'
import { createScim, list, PATCH, problem, USER, type Harness } from './support.ts'

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const interop = (more: Partial<ScimOptions> = {}): Harness =>
  createScim({ ...SCIM_PROFILES.interop, ...more })

const body = (more: object = {}): object => ({
  schemas: [USER],
  userName: 'mira@corp.example',
  ...more,
})

const operations = (...all: object[]): object => ({ schemas: [PATCH], Operations: all })

async function isConformant(scim: Harness): Promise<unknown> {
  const { body: config } = await scim.get('/ServiceProviderConfig')
  return config['interopProfileConformant']
}

describe('SH-57 profiles', () => {
  test('each names its draft', () => {
    expect(SCIM_PROFILES.interop.profile).toEqual({
      name: 'interop',
      draft: 'draft-zollner-scim-interop-profile-01',
    })
    expect(SCIM_PROFILES['ipsie-al2'].profile).toEqual({
      name: 'ipsie-al2',
      draft: 'draft-schreiber-ipsie-scim-profile-00',
    })
  })

  test('a service claims conformance only with the unchanged options of a profile', async () => {
    expect(await isConformant(createScim())).toBeUndefined()
    expect(await isConformant(interop())).toBe(true)
    expect(await isConformant(createScim(SCIM_PROFILES['ipsie-al2']))).toBe(true)
    const changes: Partial<ScimOptions>[] = [
      { deleteUser: 'deactivate' },
      { unknownAttributes: 'ignore' },
      { etag: true },
      { requirePatchPath: false },
      { replaceComplex: 'merge' },
      { quirks: 'all' },
    ]
    for (const change of changes) expect(await isConformant(interop(change))).toBeUndefined()
    const weaker = createScim({ ...SCIM_PROFILES['ipsie-al2'], password: 'ignore' })
    expect(await isConformant(weaker)).toBeUndefined()
  })

  test('interop: DELETE removes the user; unknown attributes and dialects are refused', async () => {
    const scim = interop()
    const { status, body: user } = await scim.post('/Users', body())
    expect(status).toBe(201)
    expect(
      await scim.post('/Users', body({ userName: 'b@corp.example', shoeSize: 44 })),
    ).toMatchObject({
      status: 400,
      body: problem(400, 'invalidSyntax'),
    })
    expect(await scim.post('/Users', { userName: 'c@corp.example' })).toMatchObject({ status: 400 })
    const bare = operations({ op: 'Replace', value: { title: 'Engineer' } })
    expect(await scim.patch(`/Users/${user.id}`, bare)).toMatchObject({
      status: 400,
      body: { ...problem(400, 'invalidSyntax'), detail: 'An operation needs a path.' },
    })
    const named = operations({ op: 'Replace', path: 'title', value: 'Engineer' })
    expect(await scim.patch(`/Users/${user.id}`, named)).toMatchObject({
      status: 200,
      body: { title: 'Engineer' },
    })
    expect(await scim.delete(`/Users/${user.id}`)).toMatchObject({ status: 204 })
    expect(await scim.get(`/Users/${user.id}`)).toMatchObject({ status: 404 })
  })

  test('ipsie-al2: Bulk and cursors are served', async () => {
    const scim = createScim(SCIM_PROFILES['ipsie-al2'])
    const { body: config } = await scim.get('/ServiceProviderConfig')
    expect(config).toMatchObject({ bulk: { supported: true }, pagination: { cursor: true } })
  })

  test('a connection may have a profile of its own', async () => {
    const auth: ScimOptions['auth'] = {
      kind: 'host',
      authenticate: () => ({
        id: 'c',
        tenant: 'default',
        scopes: ['users:read', 'users:write', 'groups:read', 'groups:write'],
        kind: 'host',
        settings: { profile: 'ipsie-al2' },
      }),
    }
    const scim = createScim({ auth })
    expect(await isConformant(scim)).toBe(true)
    expect(await scim.post('/Users', body({ password: 'x' }))).toMatchObject({ status: 400 })
    expect(await scim.post('/Users', body())).toMatchObject({ status: 201 })
    const first = await scim.get('/Users?cursor&count=1')
    expect(first).toMatchObject({ status: 200 })
  })
})

describe('SH-58 the options of profiles', () => {
  test('requirePatchPath: when off, an operation without path is applied', async () => {
    const scim = createScim()
    const id = await scim.user('a@corp.example')
    const plain = operations({ op: 'replace', value: { title: 'x' } })
    expect(await scim.patch(`/Users/${id}`, plain)).toMatchObject({ status: 200 })
  })

  test('replaceComplex: merge keeps sub-attributes that are not given, whole drops them', async () => {
    const name = { givenName: 'Mira', familyName: 'Okoye' }
    const emails = [{ type: 'work', value: 'm@corp.example', display: 'Work' }]
    for (const [replaceComplex, shown, display] of [
      ['merge', { givenName: 'Mia', familyName: 'Okoye' }, 'Work'],
      ['whole', { givenName: 'Mia' }, undefined],
    ] as const) {
      const scim = createScim({ replaceComplex })
      const id = await scim.user('a@corp.example', { name, emails })
      const { body: after } = await scim.patch(
        `/Users/${id}`,
        operations(
          { op: 'replace', path: 'name', value: { givenName: 'Mia' } },
          {
            op: 'replace',
            path: 'emails[type eq "work"]',
            value: { type: 'work', value: 'mia@corp.example' },
          },
        ),
      )
      expect(after['name']).toEqual(shown)
      expect(list(after['emails'])[0]).toEqual({
        type: 'work',
        value: 'mia@corp.example',
        ...(display !== undefined && { display }),
      })
      const added = operations({ op: 'add', path: 'name', value: { middleName: 'Z' } })
      const { body: more } = await scim.patch(`/Users/${id}`, added)
      expect(more['name']).toEqual({ ...shown, middleName: 'Z' })
      const one = operations({ op: 'replace', path: 'name.givenName', value: 'Ada' })
      const { body: last } = await scim.patch(`/Users/${id}`, one)
      expect(last['name']).toEqual({ ...shown, middleName: 'Z', givenName: 'Ada' })
    }
  })

  test('password: rejected in POST, PUT and PATCH, and not listed', async () => {
    const scim = createScim({ password: 'reject' })
    const refused = {
      status: 400,
      body: { ...problem(400, 'invalidSyntax'), detail: 'The attribute password is not accepted.' },
    }
    expect(await scim.post('/Users', body({ password: 'secret' }))).toMatchObject(refused)
    const { body: user } = await scim.post('/Users', body())
    expect(await scim.put(`/Users/${user.id}`, body({ Password: 'secret' }))).toMatchObject(refused)
    for (const operation of [
      { op: 'replace', path: 'password', value: 'secret' },
      { op: 'add', value: { password: 'secret' } },
    ]) {
      expect(await scim.patch(`/Users/${user.id}`, operations(operation))).toMatchObject(refused)
    }
    const names = async (of: Harness): Promise<unknown[]> => {
      const { body: schema } = await of.get(`/Schemas/${USER}`)
      return list(schema['attributes']).map((one) => Reflect.get(one, 'name'))
    }
    expect(await names(scim)).not.toContain('password')
    expect(await names(createScim())).toContain('password')
    const lax = createScim()
    expect(await lax.post('/Users', body({ password: 'secret' }))).toMatchObject({ status: 201 })
  })

  test('rateLimit: each tenant has a bucket; beyond it 429 with whole seconds', async () => {
    const scim = createScim({
      rateLimit: { perSecond: 25, burst: 30 },
      resolveTenant: (request) => request.headers.get('x-tenant') ?? 'default',
      auth: {
        kind: 'host',
        authenticate: (request) => ({
          id: 'c',
          tenant: request.headers.get('x-tenant') ?? 'default',
          scopes: ['users:read'],
          kind: 'host',
        }),
      },
    })
    const ask = async (tenant: string): Promise<Response> =>
      scim.service.handle(
        new Request('https://host.example/api/v1/scim/v2/Users', {
          headers: { 'x-tenant': tenant },
        }),
      )
    const statuses = []
    for (let count = 0; count < 31; count += 1) statuses.push((await ask('a')).status)
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 200), 429])
    const refused = await ask('a')
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toMatchObject(problem(429))
    expect((await ask('b')).status).toBe(200)
    await scim.runtime.advance(40)
    expect((await ask('a')).status).toBe(200)
    expect((await ask('a')).status).toBe(429)
  })

  test('rateLimit: without a burst twice the rate is let through at once', async () => {
    const scim = createScim({ rateLimit: { perSecond: 25 } })
    const statuses: number[] = []
    for (let count = 0; count < 51; count += 1) statuses.push((await scim.get('/Users')).status)
    expect(statuses).toEqual([...Array.from({ length: 50 }, () => 200), 429])
  })

  test('rateLimit: fewer than 25 requests a second are refused', () => {
    expect(() => createScim({ rateLimit: { perSecond: 24 } })).toThrow(ScimConfigError)
    expect(() => createScim({ rateLimit: { perSecond: 25, burst: 0 } })).toThrow(ScimConfigError)
  })

  test('extensions keep attributes that a replacement does not name', async () => {
    const scim = createScim({ replaceComplex: 'whole' })
    const id = await scim.user('a@corp.example', {
      [ENTERPRISE]: { department: 'R&D', costCenter: '7' },
    })
    const one = operations({ op: 'replace', path: `${ENTERPRISE}:department`, value: 'Sales' })
    const { body: after } = await scim.patch(`/Users/${id}`, one)
    expect(after[ENTERPRISE]).toEqual({ department: 'Sales', costCenter: '7' })
  })
})

test('SH-59 there is no profile of a provider: the defaults accept their dialects', () => {
  expect(Object.keys(SCIM_PROFILES)).toEqual(['interop', 'ipsie-al2'])
})

describe('SH-83 SCIM_PROFILE', () => {
  test('gives the options of a profile; other variables override them', () => {
    const plain = readScimSettings({}).options
    expect(plain).not.toHaveProperty('profile')
    expect(readScimSettings({ SCIM_PROFILE: 'ipsie-al2' }).options).toMatchObject(
      SCIM_PROFILES['ipsie-al2'],
    )
    const mixed = readScimSettings({
      SCIM_PROFILE: 'interop',
      SCIM_DELETE_USER: 'tombstone',
      SCIM_BULK: 'true',
    }).options
    expect(mixed).toMatchObject({ requirePatchPath: true, deleteUser: 'tombstone', bulk: true })
    expect(readScimSettings({ SCIM_PROFILE: 'interop' }).options.bulk).toBe(false)
    expect(() => readScimSettings({ SCIM_PROFILE: 'entra' })).toThrow(
      'SCIM_PROFILE must be one of none, interop, ipsie-al2',
    )
  })

  test('SCIM_OUTBOX and SCIM_WEBHOOK_KEY', () => {
    expect(readScimSettings({ SCIM_OUTBOX: 'true' }).options.outbox).toBe(true)
    const key = 'k'.repeat(32)
    const settings = readScimSettings({ SCIM_WEBHOOK_KEY: key })
    expect(settings).toMatchObject({ webhookKey: key, options: { outbox: true } })
    expect(() => readScimSettings({ SCIM_WEBHOOK_KEY: 'short' })).toThrow('at least 32 characters')
  })
})
