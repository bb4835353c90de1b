import { describe, expect, test } from 'vitest'
import { createScimTokens } from '@x/scim-core'
import { createMemoryTokenStore } from '@x/scim-core/memory'
import { createScimClient } from '@x/scim-core/testing'
import {
  BASE,
  createScim,
  ENTERPRISE as E,
  list,
  MESSAGES,
  problem,
  USER,
  type Harness,
} from './support.ts'

const bulk = async (
  scim: Harness,
  operations: unknown,
  more: object = {},
): Promise<Record<string, unknown>> =>
  (
    await scim.post('/Bulk', {
      schemas: [`${MESSAGES}:BulkRequest`],
      Operations: operations,
      ...more,
    })
  ).body
const results = async (scim: Harness, operations: unknown, more: object = {}): Promise<object[]> =>
  list((await bulk(scim, operations, more))['Operations'])
const idOf = (result: object | undefined): string =>
  String(Reflect.get(result ?? {}, 'location'))
    .split('/')
    .at(-1) ?? ''
const post = (bulkId: string, data: object, path = '/Users'): object => ({
  method: 'POST',
  path,
  bulkId,
  data,
})
const user = (name: string, more: object = {}): object => ({
  userName: `${name}@x.example`,
  ...more,
})

test('SC-62 runs every method in request order', async () => {
  const scim = createScim({ bulk: true, etag: true })
  const id = await scim.user('old@x.example')
  const gone = await scim.group('gone')
  const answer = await bulk(scim, [
    post('u', user('new')),
    { method: 'PUT', path: `/Users/${id}`, data: user('old', { title: 't' }) },
    {
      method: 'patch',
      path: `/Users/${id}`,
      bulkId: 'x',
      data: {
        schemas: [`${MESSAGES}:PatchOp`],
        Operations: [{ op: 'add', path: 'nickName', value: 'n' }],
      },
    },
    { method: 'DELETE', path: `/Groups/${gone}` },
    { method: 'DELETE', path: '/Groups/none' },
  ])
  expect(answer['schemas']).toEqual([`${MESSAGES}:BulkResponse`])
  const [created, put, patched, deleted, missing] = list(answer['Operations'])
  expect(created).toMatchObject({ method: 'POST', bulkId: 'u', status: '201', version: 'W/"1"' })
  expect(put).toMatchObject({ method: 'PUT', status: '200', version: 'W/"2"' })
  expect(patched).toMatchObject({ method: 'patch', bulkId: 'x', status: '200', version: 'W/"3"' })
  expect(deleted).toMatchObject({ method: 'DELETE', status: '204' })
  expect(missing).toMatchObject({ status: '404', response: problem(404) })
  expect(idOf(put)).toBe(id)
  expect((await scim.get(`/Users/${id}`)).body).toMatchObject({ title: 't', nickName: 'n' })
})

test('SC-62 every result but a failed POST has a location; none has a version without etag', async () => {
  const scim = createScim({ bulk: true })
  const id = await scim.user('old@x.example')
  const [created, stale, missing, failed] = await results(scim, [
    post('u', user('new')),
    { method: 'PUT', path: `/Users/${id}`, version: 'W/"9"', data: user('old', { title: 't' }) },
    { method: 'DELETE', path: '/Groups/none' },
    post('v', user('new')),
  ])
  expect(created).toMatchObject({ status: '201', location: `${BASE}/Users/${idOf(created)}` })
  expect(created).not.toHaveProperty('version')
  expect(stale).toMatchObject({ status: '200', location: `${BASE}/Users/${id}` })
  expect(missing).toMatchObject({ status: '404', location: `${BASE}/Groups/none` })
  expect(failed).toMatchObject({ status: '409', response: problem(409, 'uniqueness') })
  expect(failed).not.toHaveProperty('location')
})

test('SC-62 version is compared with etag on', async () => {
  const scim = createScim({ bulk: true, etag: true })
  const id = await scim.user('old@x.example')
  const [stale] = await results(scim, [
    { method: 'DELETE', path: `/Users/${id}`, version: 'W/"9"' },
  ])
  expect(stale).toMatchObject({ status: '412' })
})

describe('SC-63 references', () => {
  test('resolve in paths, PATCH paths and values, before their definition', async () => {
    const scim = createScim({ bulk: true })
    const group = await scim.group('g')
    const [patched, put, group2, boss] = await results(scim, [
      {
        method: 'PATCH',
        path: `/Groups/${group}`,
        data: { Operations: [{ op: 'add', path: 'members[value eq "bulkId:b"]', value: {} }] },
      },
      { method: 'PUT', path: '/Users/bulkId:b', data: user('boss', { title: 'changed' }) },
      post('g2', { displayName: 'g2', members: [{ value: 'bulkId:b' }] }, '/Groups'),
      post('b', user('boss', { title: 'first' })),
    ])
    const id = idOf(boss)
    expect([patched, put, group2].map((one) => Reflect.get(one ?? {}, 'status'))).toEqual([
      '200',
      '200',
      '201',
    ])
    expect(await scim.members(group)).toEqual([id])
    expect(await scim.members(idOf(group2))).toEqual([id])
    expect((await scim.get(`/Users/${id}`)).body['title']).toBe('changed')
  })

  test('circular references are created first and resolved afterwards', async () => {
    const scim = createScim({ bulk: true })
    const [a, b] = await results(scim, [
      post('a', user('a', { [E]: { manager: { value: 'bulkId:b' } } })),
      post('b', user('b', { [E]: { manager: { value: 'bulkId:a' } } })),
    ])
    const managerOf = async (id: string): Promise<unknown> =>
      (await scim.get(`/Users/${id}`)).body[E]
    expect(await managerOf(idOf(a))).toMatchObject({ manager: { value: idOf(b) } })
    expect(await managerOf(idOf(b))).toMatchObject({ manager: { value: idOf(a) } })
  })

  test('AB-83 SH-68 circular references are resolved with all tolerances on or off', async () => {
    const scim = createScim({ bulk: true, quirks: 'none' })
    const schemas = [USER, E]
    const groups = [{ value: 'bulkId:a' }]
    const [a, b] = await results(scim, [
      post('a', user('a', { schemas, groups, [E]: { manager: { value: 'bulkId:b' } } })),
      post('b', user('b', { schemas, [E]: { manager: { value: 'bulkId:a' } } })),
    ])
    expect([a, b]).toMatchObject([{ status: '201' }, { status: '201' }])
    const managerOf = async (id: string): Promise<unknown> =>
      (await scim.get(`/Users/${id}`)).body[E]
    expect(await managerOf(idOf(a))).toMatchObject({ manager: { value: idOf(b) } })
    expect(await managerOf(idOf(b))).toMatchObject({ manager: { value: idOf(a) } })
  })

  test(
    'SH-69 a chain of references in reverse order costs each operation the same',
    { tags: ['long'] },
    async () => {
      const chain = async (length: number): Promise<number> => {
        const scim = createScim({ bulk: true })
        const operations = Array.from({ length }, (_, n) =>
          post(
            `u${n}`,
            user(
              `u${n}`,
              n + 1 < length ? { [E]: { manager: { value: `bulkId:u${n + 1}` } } } : {},
            ),
          ),
        )
        const begin = process.cpuUsage()
        const done = await results(scim, operations)
        const { user: took } = process.cpuUsage(begin)
        expect(new Set(done.map((result) => Reflect.get(result, 'status')))).toEqual(
          new Set(['201']),
        )
        return took / 1_000 / length
      }
      await chain(50)
      const few = Math.min(await chain(50), await chain(50), await chain(50))
      const many = Math.min(await chain(1_000), await chain(1_000), await chain(1_000))
      // Twenty times as much where each operation reads all others.
      expect(many).toBeLessThan(8 * few + 0.5)
    },
  )

  test('SC-62 the version of a resource in a circle is the one after its references are resolved', async () => {
    const scim = createScim({ bulk: true, etag: true })
    const created = await results(scim, [
      post('a', user('a', { [E]: { manager: { value: 'bulkId:b' } } })),
      post('b', user('b', { [E]: { manager: { value: 'bulkId:a' } } })),
    ])
    for (const result of created) {
      const { headers } = await scim.get(`/Users/${idOf(result)}`)
      expect(result).toMatchObject({ status: '201', version: headers.get('etag') })
    }
  })

  test('a circle that cannot be resolved is 409 or the error of the resolving request', async () => {
    const scim = createScim({ bulk: true })
    const [a, b] = await results(scim, [
      post('a', { displayName: 'a', members: [{ value: 'bulkId:b' }] }, '/Groups'),
      post('b', { displayName: 'b', members: [{ value: 'bulkId:a' }] }, '/Groups'),
    ])
    expect([a, b].map((one) => Reflect.get(one ?? {}, 'status'))).toEqual(['409', '400'])
    expect(a).toMatchObject({ method: 'POST', response: problem(409) })
  })

  test('a bulkId that is unknown or whose operation failed is 409 without scimType', async () => {
    const scim = createScim({ bulk: true })
    const [unknown, failed, dependent] = await results(scim, [
      post('x', user('x', { [E]: { manager: { value: 'bulkId:nobody' } } })),
      post('bad', { userName: 'no e-mail' }),
      post('y', { displayName: 'y', members: [{ value: 'bulkId:bad' }] }, '/Groups'),
    ])
    expect(unknown).toMatchObject({ status: '409' })
    expect(Reflect.get(unknown ?? {}, 'response')).not.toHaveProperty('scimType')
    expect(failed).toMatchObject({ status: '400', response: problem(400, 'invalidValue') })
    expect(failed).not.toHaveProperty('location')
    expect(dependent).toMatchObject({ status: '409' })
    expect((await scim.get('/Users')).body['totalResults']).toBe(0)
  })

  test.each([
    { method: 'POST', path: '/Users', data: user('x') },
    { method: 'GET', path: '/Users', bulkId: 'q' },
    { method: 'POST', path: '/Robots', bulkId: 'q', data: {} },
    { method: 'POST', path: '/Users/x', bulkId: 'q', data: {} },
    { method: 'PUT', path: '/Users', bulkId: 'q', data: {} },
    { method: 'DELETE', path: 'Users/x' },
    { path: '/Users' },
    'text',
    null,
  ])('%j is invalidSyntax for that operation alone', async (operation) => {
    const scim = createScim({ bulk: true })
    const [wrong, good] = await results(scim, [operation, post('ok', user('ok'))])
    expect(wrong).toMatchObject({ status: '400', response: problem(400, 'invalidSyntax') })
    expect(good).toMatchObject({ status: '201' })
  })

  test('a duplicate bulkId is refused', async () => {
    const [first, second] = await results(createScim({ bulk: true }), [
      post('q', user('a')),
      post('q', user('b')),
    ])
    expect([first, second].map((one) => Reflect.get(one ?? {}, 'status'))).toEqual(['201', '400'])
  })
})

describe('SC-64 bounds', () => {
  test('failOnErrors stops; only what was processed is returned', async () => {
    const scim = createScim({ bulk: true })
    const operations = [post('a', user('a')), post('b', {}), post('c', {}), post('d', user('d'))]
    expect(await results(scim, operations, { failOnErrors: 2 })).toHaveLength(3)
    expect((await scim.get('/Users')).body['totalResults']).toBe(1)
    for (const failOnErrors of [0, -1, 1.5, '2', true]) {
      expect(await bulk(scim, operations, { failOnErrors })).toMatchObject(
        problem(400, 'invalidSyntax'),
      )
    }
  })

  test('too many operations or bytes: 413 with the limit', async () => {
    const scim = createScim({ bulk: true, limits: { bulkOperations: 2, bulkBytes: 400 } })
    const many = await bulk(scim, [{}, {}, {}])
    expect(many).toMatchObject(problem(413))
    expect(many['detail']).toContain('2')
    const large = await scim.send('POST', '/Bulk', { body: '{'.repeat(500) })
    expect(large.body).toMatchObject(problem(413))
    expect(large.body['detail']).toContain('400')
    expect((await scim.get('/ServiceProviderConfig')).body['bulk']).toEqual({
      supported: true,
      maxOperations: 2,
      maxPayloadSize: 400,
    })
  })

  test.each([
    { schemas: ['urn:x'] },
    { schemas: undefined },
    { Operations: 'x' },
    { Operations: undefined },
  ])('%j is invalidSyntax', async (more) => {
    expect(await bulk(createScim({ bulk: true }), [], more)).toMatchObject(
      problem(400, 'invalidSyntax'),
    )
  })

  test('data may be nested as deep as a body; an unexpected error is 500 for its operation', async () => {
    const failure = new Error('disk full')
    const scim = createScim({
      bulk: true,
      beforeWrite: ({ resourceType }) => {
        if (resourceType === 'Group') throw failure
      },
    })
    const nested: unknown = JSON.parse(`${'['.repeat(15)}${']'.repeat(15)}`)
    const found = await results(scim, [
      post('a', user('a', { unknown: nested })),
      post('g', { displayName: 'g' }, '/Groups'),
    ])
    expect(found).toMatchObject([{ status: '201' }, { status: '500', response: problem(500) }])
    expect(scim.errors).toEqual([failure])
    expect(scim.events).toContain('error')
  })

  test('scopes are checked for each operation', async () => {
    const service = createScimTokens({ store: createMemoryTokenStore() })
    const { token } = await service.issue({ tenant: 'default', scopes: ['users:write'] })
    const scim = createScim({ bulk: true, auth: { kind: 'tokens', service } })
    const client = createScimClient(scim.service.handle, { token })
    const { status, body } = await client.post('/Bulk', {
      schemas: [`${MESSAGES}:BulkRequest`],
      Operations: [post('u', user('u')), post('g', { displayName: 'g' }, '/Groups')],
    })
    expect(status).toBe(200)
    expect(list(body['Operations'])).toMatchObject([{ status: '201' }, { status: '403' }])
  })

  test('SC-71 one audit entry for the request and one for each operation', async () => {
    const scim = createScim({ bulk: true })
    await results(scim, [
      post('a', user('a')),
      post('b', {}),
      { method: 'DELETE', path: '/Groups/x' },
    ])
    const entries = scim.payloads
      .filter(({ name }) => name === 'audit')
      .map(({ event }) => Reflect.get(event as object, 'entry'))
    expect(entries).toMatchObject([
      { op: 'create', resourceType: 'User', status: 201, events: ['user.created'] },
      { op: 'create', resourceType: 'User', status: 400 },
      { op: 'delete', resourceType: 'Group', resourceId: 'x', status: 404 },
      { op: 'bulk', status: 200 },
    ])
  })
})
