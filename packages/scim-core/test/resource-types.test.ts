import {
  createCatalogueStore,
  createScimService,
  defineResourceType,
  type ScimOptions,
  type ScimResourceType,
} from '@x/scim-core'
import { createMemoryResourceStore, createMemoryScimStore } from '@x/scim-core/memory'
import { describe, expect, test } from 'vitest'
import { BASE, createScim, list, MESSAGES, PATCH, TOKEN } from './support.ts'

const ROLE_URN = 'urn:okta:scim:schemas:core:1.0:Role'
const BADGE = 'urn:example:badge'
const ROLES = [
  { id: 'admin', displayName: 'Administrator', description: 'All of it' },
  { id: 'editor', displayName: 'Editor', [BADGE]: { color: 'red' } },
]

const catalogue = (more: Partial<ScimResourceType> = {}): ScimResourceType =>
  defineResourceType({
    name: 'Role',
    endpoint: '/Roles',
    description: 'What a user may do',
    schema: {
      urn: ROLE_URN,
      attributes: [{ name: 'displayName', required: true }, { name: 'description' }],
    },
    extensions: [
      {
        urn: BADGE,
        name: 'Badge',
        description: 'A badge.',
        required: false,
        attributes: [{ name: 'color' }],
      },
    ],
    store: createCatalogueStore(async () => ROLES),
    ...more,
  })

const device = (more: Partial<ScimResourceType> = {}): ScimResourceType =>
  defineResourceType({
    name: 'Device',
    endpoint: '/Devices',
    schema: {
      urn: 'urn:ietf:params:scim:schemas:core:2.0:Device',
      attributes: [
        { name: 'displayName', required: true },
        { name: 'active', type: 'boolean' },
        { name: 'serial', caseExact: true, mutability: 'immutable' },
        { name: 'secret', returned: 'never' },
        {
          name: 'ports',
          type: 'complex',
          multiValued: true,
          subAttributes: [{ name: 'value' }, { name: 'type' }],
        },
      ],
    },
    store: createMemoryResourceStore(),
    unique: ['displayName'],
    ...more,
  })

const withTypes = (types: readonly ScimResourceType[], options: Partial<ScimOptions> = {}) =>
  createScim({ resourceTypes: types, ...options })

describe('a catalogue', () => {
  test('SH-35 SH-39 is read by id, list, filter and search with one load per request', async () => {
    let loads = 0
    const store = createCatalogueStore(() => {
      loads += 1
      return ROLES
    })
    const scim = withTypes([catalogue({ store })])
    const one = await scim.get('/Roles/editor')
    expect(one.body).toEqual({
      schemas: [ROLE_URN, BADGE],
      id: 'editor',
      displayName: 'Editor',
      [BADGE]: { color: 'red' },
      meta: {
        resourceType: 'Role',
        created: '1970-01-01T00:00:00.000Z',
        lastModified: '1970-01-01T00:00:00.000Z',
        location: `${BASE}/Roles/editor`,
      },
    })
    const all = await scim.get('/roles?sortBy=displayName&sortOrder=descending&count=1')
    expect(all.body).toMatchObject({ totalResults: 2, Resources: [{ id: 'editor' }] })
    const some = await scim.get(
      '/Roles?filter=displayName eq "ADMINISTRATOR"&attributes=displayName',
    )
    expect(list(some.body['Resources'])).toEqual([
      { schemas: [ROLE_URN], id: 'admin', displayName: 'Administrator' },
    ])
    expect(loads).toBe(3)
    expect((await scim.get('/Roles/none')).status).toBe(404)
  })

  test('SH-35 unsupported methods are 405 with Allow', async () => {
    const scim = withTypes([catalogue(), device({ operations: ['get', 'list', 'create'] })])
    const post = await scim.post('/Roles', { displayName: 'x' })
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const put = await scim.put('/Devices/x', {})
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    expect((await scim.send('HEAD', '/Roles')).status).toBe(200)
  })

  test('SH-39 more than 10,000 entries are an error', async () => {
    const many = Array.from({ length: 10_001 }, (_, n) => ({ id: `r${n}`, displayName: 'x' }))
    const scim = withTypes([catalogue({ store: createCatalogueStore(() => many) })])
    expect((await scim.get('/Roles')).status).toBe(500)
    expect(scim.errors[0]).toBeInstanceOf(RangeError)
  })

  test('SH-36 SH-42 discovery lists the types in order, and each schema once', async () => {
    const entitlement = (name: string): ScimResourceType =>
      catalogue({
        name,
        endpoint: `/${name}s`,
        schema: {
          urn: 'urn:okta:scim:schemas:core:1.0:Entitlement',
          attributes: [{ name: 'displayName', required: true }, { name: 'type' }],
        },
        extensions: [],
        store: createCatalogueStore(() => [
          { id: 'a', displayName: 'A' },
          { id: 'b', displayName: 'B', type: 'own' },
        ]),
      })
    const scim = withTypes([catalogue(), entitlement('License'), entitlement('Permission')])
    const types = list((await scim.get('/ResourceTypes')).body['Resources'])
    expect(types.map((one) => Reflect.get(one, 'id') as string)).toEqual([
      'User',
      'Group',
      'Role',
      'License',
      'Permission',
    ])
    const ids = list((await scim.get('/Schemas')).body['Resources']).map((one) =>
      String(Reflect.get(one, 'id')),
    )
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining([ROLE_URN, BADGE]))
    const { body } = await scim.get('/Licenses?startIndex=1&count=100')
    expect(list(body['Resources']).map((one) => Reflect.get(one, 'type') as string)).toEqual([
      'License',
      'own',
    ])
  })

  test('SH-35 a search from the root covers it after groups', async () => {
    const scim = withTypes([catalogue()])
    await scim.user('ada@corp.example', { displayName: 'Ada' })
    await scim.group('Core')
    const { body } = await scim.get('/?filter=displayName pr')
    const kinds = list(body['Resources']).map((one) => Reflect.get(one, 'meta') as object)
    expect(kinds.map((meta) => Reflect.get(meta, 'resourceType') as string)).toEqual([
      'User',
      'Group',
      'Role',
      'Role',
    ])
    const sorted = await scim.get('/?sortBy=displayName&count=2')
    expect(
      list(sorted.body['Resources']).map((one) => Reflect.get(one, 'displayName') as string),
    ).toEqual(['Ada', 'Administrator'])
  })
})

describe('a type that is written', () => {
  test('SH-35 SH-43 POST, PUT, PATCH and DELETE follow the rules of the schema', async () => {
    const scim = withTypes([device()], { etag: true })
    const created = await scim.post('/Devices', {
      displayName: 'Door',
      SERIAL: 'S-1',
      secret: 'geheim',
      ports: [{ value: '1', type: 'in' }],
    })
    expect(created).toMatchObject({ status: 201, body: { serial: 'S-1', displayName: 'Door' } })
    expect(created.body).not.toHaveProperty('secret')
    expect(created.headers.get('etag')).toBe('W/"1"')
    const at = `/Devices/${created.body.id}`
    expect(created.headers.get('location')).toBe(`${BASE}${at}`)
    const patched = await scim.patch(at, [
      { op: 'add', path: 'ports', value: [{ value: '2', type: 'out' }] },
      { op: 'remove', path: 'ports[type eq "in"]' },
      { op: 'replace', path: 'active', value: true },
    ])
    expect(patched.body).toMatchObject({ active: true, ports: [{ value: '2', type: 'out' }] })
    expect((await scim.patch(at, [{ op: 'replace', path: 'serial', value: 'S-2' }])).status).toBe(
      400,
    )
    expect(
      (await scim.put(at, { displayName: 'Gate', serial: 'S-1' }, { 'if-match': 'W/"1"' })).status,
    ).toBe(412)
    const put = await scim.put(at, { displayName: 'Gate', serial: 'S-1' })
    expect(put.body).toMatchObject({ displayName: 'Gate' })
    expect(put.body).not.toHaveProperty('ports')
    expect((await scim.post('/Devices', {})).body).toMatchObject({ scimType: 'invalidValue' })
    expect((await scim.delete(at)).status).toBe(204)
    expect((await scim.get(at)).status).toBe(404)
    expect(scim.events.filter((name) => name.startsWith('resource.'))).toEqual([
      'resource.created',
      'resource.updated',
      'resource.updated',
      'resource.deleted',
    ])
  })

  test('SH-40 unique values ignore case', async () => {
    const scim = withTypes([device()])
    await scim.post('/Devices', { displayName: 'Door' })
    const twin = await scim.post('/Devices', { displayName: 'DOOR' })
    expect(twin).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } })
    const { body } = await scim.post('/Devices', { displayName: 'Gate' })
    const renamed = await scim.patch(`/Devices/${body.id}`, [
      { op: 'replace', path: 'displayName', value: 'door' },
    ])
    expect(renamed.status).toBe(409)
  })

  test('SH-40 a hook that refuses rolls back the transaction of the store', async () => {
    const store = createMemoryScimStore()
    const resources = store.resources('Device')
    const scim = withTypes([device({ store: resources })], {
      store,
      outbox: true,
      beforeCommit(change) {
        if (change.after?.['displayName'] === 'Bad') throw new Error(change.resourceType)
      },
    })
    expect((await scim.post('/Devices', { displayName: 'Bad' })).status).toBe(500)
    expect((await scim.get('/Devices')).body['totalResults']).toBe(0)
    await scim.post('/Devices', { displayName: 'Good' })
    const { events } = await store.outbox.read('default')
    expect(events).toMatchObject([
      {
        type: 'resource.created',
        resourceType: 'Device',
        data: { after: { displayName: 'Good' } },
      },
    ])
  })

  test('SH-20 attributes that are never returned are in no row of the outbox', async () => {
    const store = createMemoryScimStore()
    const badge = {
      urn: BADGE,
      name: 'Badge',
      description: 'A badge.',
      resourceType: 'User',
      required: false,
      attributes: [{ name: 'pin', returned: 'never' }],
    } as const
    const types = [device({ store: store.resources('Device') })]
    const scim = withTypes(types, { store, outbox: true, extensions: [badge] })
    const { body } = await scim.post('/Devices', { displayName: 'Door', secret: 'geheim-1' })
    const replace = (path: string, value: string) => [{ op: 'replace', path, value }]
    await scim.patch(`/Devices/${body.id}`, replace('secret', 'geheim-2'))
    const id = await scim.user('ada@corp.example', { [BADGE]: { pin: 'geheim-3' } })
    await scim.patch(`/Users/${id}`, replace(`${BADGE}:pin`, 'geheim-4'))
    const { events } = await store.outbox.read('default')
    expect(events.map(({ type }) => type)).toEqual([
      'resource.created',
      'resource.updated',
      'user.created',
      'user.updated',
    ])
    expect(JSON.stringify(events)).not.toContain('geheim')
    expect(events[0]?.data).toMatchObject({ after: { id: body.id, displayName: 'Door' } })
    expect(events[1]?.data).toMatchObject({ changed: ['secret'], before: { id: body.id } })
    expect(events[3]?.data).toMatchObject({ after: { userName: 'ada@corp.example' } })
  })

  test('SC-74 listeners and beforeCommit see attributes that are never returned, since they are the code of the host', async () => {
    const seen: string[] = []
    const scim = withTypes([device()], {
      beforeCommit: ({ after }) => void seen.push(String(after?.['secret'])),
    })
    scim.service.events.on('resource.created', ({ after }) => {
      seen.push(String(after['secret']))
    })
    const { body } = await scim.post('/Devices', { displayName: 'Door', secret: 'a' })
    expect(body).not.toHaveProperty('secret')
    expect(seen).toEqual(['a', 'a'])
  })

  test('SH-35 bulk, cursor and the service in process', async () => {
    const scim = withTypes([device(), catalogue()], { bulk: true, cursor: true })
    const { body } = await scim.post('/Bulk', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [
        { method: 'POST', path: '/Devices', bulkId: 'a', data: { displayName: 'A' } },
        {
          method: 'PATCH',
          path: '/Devices/bulkId:a',
          data: { schemas: [PATCH], Operations: [{ op: 'add', path: 'active', value: true }] },
        },
        { method: 'POST', path: '/Roles', bulkId: 'b', data: { displayName: 'B' } },
      ],
    })
    expect(list(body['Operations']).map((one) => Reflect.get(one, 'status') as string)).toEqual([
      '201',
      '200',
      '405',
    ])
    const devices = scim.service.resources('Device')
    await devices.create('default', { displayName: 'C' })
    expect(await devices.list('default')).toMatchObject({ totalResults: 2 })
    const first = await scim.get('/Devices?cursor&count=1')
    const next = await scim.get(`/Devices?cursor=${String(first.body['nextCursor'])}&count=1`)
    expect(list(next.body['Resources'])).toMatchObject([{ displayName: 'C' }])
  })

  test('SH-35 projection, tenants and audit entries are those of groups', async () => {
    const entries: unknown[] = []
    const scim = withTypes([device()], {
      audit: ({ op, resourceType, resourceId, status }) =>
        void entries.push([op, resourceType, resourceId, status]),
    })
    const devices = scim.service.resources('Device')
    const theirs = await devices.create('globex', { displayName: 'Theirs' })
    const { body } = await scim.post('/Devices?attributes=serial', {
      displayName: 'Door',
      serial: 'S-1',
      active: true,
    })
    expect(Object.keys(body).toSorted()).toEqual(['id', 'schemas', 'serial'])
    const narrow = await scim.get(`/Devices/${body.id}?excludedAttributes=serial,meta`)
    expect(narrow.body).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Device'],
      id: body.id,
      displayName: 'Door',
      active: true,
    })
    expect((await scim.get(`/Devices/${theirs.id}`)).status).toBe(404)
    expect((await scim.delete(`/Devices/${theirs.id}`)).status).toBe(404)
    const search = { schemas: [`${MESSAGES}:SearchRequest`], filter: 'serial eq "S-1"' }
    expect((await scim.post('/Devices/.search', search)).body).toMatchObject({ totalResults: 1 })
    // serial is caseExact.
    const other = { ...search, filter: 'serial eq "s-1"' }
    expect((await scim.post('/Devices/.search', other)).body).toMatchObject({ totalResults: 0 })
    expect((await scim.delete(`/Devices/${body.id}`)).status).toBe(204)
    expect(entries).toContainEqual(['create', 'Device', body.id, 201])
    expect(entries).toContainEqual(['delete', 'Device', body.id, 204])
  })

  test('SH-38 scopes of a type of its own', async () => {
    const scopes = { read: 'devices:read', write: 'devices:write' } as const
    const ask = async (held: readonly `${string}:read`[], path: string): Promise<number> => {
      const service = createScimService({
        store: createMemoryScimStore(),
        baseUrl: BASE,
        resourceTypes: [device({ scopes }), catalogue()],
        auth: {
          kind: 'host',
          authenticate: () => ({ id: 'x', tenant: 'default', kind: 'host', scopes: held }),
        },
      })
      return (await service.handle(new Request(`${BASE}${path}`))).status
    }
    expect(await ask(['devices:read'], '/Devices')).toBe(200)
    expect(await ask(['users:read'], '/Devices')).toBe(403)
    expect(await ask(['users:read'], '/Roles')).toBe(200)
    expect((await withTypes([device({ scopes })]).get('/Devices')).status).toBe(200)
    expect(TOKEN).not.toBe('')
  })
})

describe('users with roles', () => {
  const assigned = (onUnknown: 'keep' | 'reject' | 'skip') =>
    withTypes([catalogue({ assignedBy: { attribute: 'roles', onUnknown } })])

  test('SH-41 unknown ids are refused, left out or kept; display is filled', async () => {
    const roles = [{ value: 'admin' }, { value: 'ghost' }]
    const body = { userName: 'ada@corp.example', roles }
    const refused = await assigned('reject').post('/Users', body)
    expect(refused).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
    expect(String(refused.body['detail'])).toContain('ghost')
    expect((await assigned('skip').post('/Users', body)).body['roles']).toEqual([
      { value: 'admin', display: 'Administrator' },
    ])
    expect((await assigned('keep').post('/Users', body)).body['roles']).toEqual([
      { value: 'admin', display: 'Administrator' },
      { value: 'ghost' },
    ])
  })

  test.each([
    ['reject', 400, []],
    ['skip', 200, ['editor']],
    ['keep', 200, ['editor', 'ghost', 'phantom']],
  ] as const)('SH-41 %s applies to PUT and PATCH as to POST', async (onUnknown, status, more) => {
    const scim = assigned(onUnknown)
    const id = await scim.user('ada@corp.example', { roles: [{ value: 'admin' }] })
    const roles = [{ value: 'admin' }, { value: 'editor' }, { value: 'ghost' }]
    const put = await scim.put(`/Users/${id}`, { userName: 'ada@corp.example', roles })
    const add = [{ op: 'add', path: 'roles', value: [{ value: 'phantom' }] }]
    const patch = await scim.patch(`/Users/${id}`, add)
    expect([put.status, patch.status]).toEqual([status, status])
    const { body } = await scim.get(`/Users/${id}`)
    const values = list(body['roles']).map((one) => Reflect.get(one, 'value') as string)
    expect(values).toEqual(['admin', ...more])
  })

  test('SH-41 only added ids are looked up', async () => {
    const known = [...ROLES]
    const store = createCatalogueStore(() => known)
    const scim = withTypes([
      catalogue({ store, assignedBy: { attribute: 'roles', onUnknown: 'reject' } }),
    ])
    const id = await scim.user('ada@corp.example', { roles: [{ value: 'editor' }] })
    known.pop()
    const add = (value: string) =>
      scim.patch(`/Users/${id}`, [{ op: 'add', path: 'roles', value: [{ value }] }])
    expect((await add('admin')).status).toBe(200)
    expect((await add('editor2')).status).toBe(400)
  })
})

/** SH-37 */
test.each([
  [{ name: 'My Role' }, 'My Role'],
  [{ name: 'User' }, 'User'],
  [{ endpoint: 'Roles' }, 'Role'],
  ...[
    '/Users',
    '/Groups',
    '/Me',
    '/Bulk',
    '/Schemas',
    '/ResourceTypes',
    '/ServiceProviderConfig',
    '/SecurityEvents',
    '/groups',
    '/.search',
    '/a/b',
  ].map((endpoint): [Partial<ScimResourceType>, string] => [{ endpoint }, 'Role']),
  [{ schema: { urn: 'role', attributes: [{ name: 'a' }] } }, 'Role'],
  [{ schema: { urn: ROLE_URN, attributes: [] } }, 'Role'],
  [{ schema: { urn: ROLE_URN, attributes: [{ name: 'a b' }] } }, 'Role'],
  [{ unique: ['color'] }, 'Role'],
  [{ operations: ['create'] as const }, 'Role'],
])('SH-37 refuses %j', (wrong, name) => {
  expect(() => withTypes([catalogue(wrong)])).toThrow(
    expect.objectContaining({
      option: 'resourceTypes',
      message: expect.stringContaining(name) as string,
    }) as Error,
  )
  expect(() => withTypes([catalogue(), catalogue({ name: 'Other', endpoint: '/rOLES' })])).toThrow(
    'taken',
  )
})
