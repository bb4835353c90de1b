import { describe, expect, test } from 'vitest'
import { createScim, list, problem, type Harness } from './support.ts'

describe('SC-37 cursors', () => {
  const options = { cursor: { ttl: 60, secret: 'k' } }

  const walk = async (client: Harness, path: string): Promise<string[]> => {
    const seen: string[] = []
    let cursor = ''
    do {
      const { status, body } = await client.get(`${path}&cursor=${cursor}`)
      expect(status).toBe(200)
      seen.push(...list(body['Resources']).map((one) => String(Reflect.get(one, 'id'))))
      const next = body['nextCursor']
      cursor = typeof next === 'string' ? next : ''
      expect(cursor).toMatch(/^[\w.~-]*$/)
    } while (cursor !== '')
    return seen
  }

  test.each(['cursor=&count=2', 'cursor&count=2'])(
    'SF-22 ?%s is the first page; each page has the total, the last one no next cursor',
    async (query) => {
      const client = createScim(options)
      for (let n = 0; n < 3; n += 1) await client.user(`u${n}@x.example`)
      const first = await client.get(`/Users?${query}`)
      expect(first.body).toMatchObject({
        totalResults: 3,
        nextCursor: expect.any(String) as string,
      })
      const next = String(first.body['nextCursor'])
      const last = await client.get(`/Users?count=2&cursor=${next}`)
      expect(last.body).toMatchObject({ totalResults: 3, itemsPerPage: 1 })
      expect(last.body).not.toHaveProperty('nextCursor')
      const schemas = ['urn:ietf:params:scim:api:messages:2.0:SearchRequest']
      const searched = await client.post('/Users/.search', { schemas, cursor: '', count: 2 })
      expect(searched.body).toMatchObject({
        totalResults: 3,
        nextCursor: expect.any(String) as string,
      })
    },
  )

  test('walks each list once, sorted or not, over both types too', async () => {
    const client = createScim(options)
    for (let n = 0; n < 7; n += 1)
      await client.user(`u${n}@x.example`, n % 3 === 0 ? {} : { title: `t${n % 2}` })
    await client.group('g1')
    await client.group('g2')
    for (const path of [
      '/Users?count=2',
      '/Users?count=2&sortBy=title',
      '/Users?count=2&sortBy=title&sortOrder=descending',
      '/Users?count=3&filter=title+pr',
      '/?count=2',
      '/Groups?count=1',
    ]) {
      const whole = await client.get(path.replace(/count=\d/, 'count=100'))
      const expected = list(whole.body['Resources']).map((one) => Reflect.get(one, 'id'))
      expect(await walk(client, path)).toEqual(expected)
    }
  })

  test('resources created or deleted between pages neither hide nor repeat others', async () => {
    const client = createScim({ ...options, deleteUser: 'remove' })
    const made: string[] = []
    for (let n = 0; n < 4; n += 1) made.push(await client.user(`u${n}@x.example`))
    const first = await client.get('/Users?count=2&cursor')
    await client.delete(`/Users/${made[0]}`)
    await client.delete(`/Users/${made[1]}`)
    const second = await client.get(`/Users?count=2&cursor=${String(first.body['nextCursor'])}`)
    expect(list(second.body['Resources']).map((one) => Reflect.get(one, 'id'))).toEqual(
      made.slice(2),
    )
  })

  test('altered, foreign and expired cursors are refused, and another count', async () => {
    const client = createScim(options)
    for (let n = 0; n < 4; n += 1) await client.user(`u${n}@x.example`)
    const { body } = await client.get('/Users?count=2&cursor=')
    const cursor = String(body['nextCursor'])
    const type = async (query: string, from = client): Promise<unknown> =>
      (await from.get(query)).body['scimType']
    expect(await type(`/Users?count=2&cursor=${cursor}`)).toBeUndefined()
    for (const other of [`${cursor}x`, `A${cursor.slice(1)}`, 'nonsense', '.', 'a.b.c']) {
      expect(await type(`/Users?count=2&cursor=${other}`)).toBe('invalidCursor')
    }
    for (const query of [
      '/Users?filter=title+pr',
      '/Users?sortBy=title',
      '/Users?attributes=id',
      '/Users?excludedAttributes=name',
      '/Users?sortOrder=descending',
      '/Groups?x',
      '/?x',
    ]) {
      expect(await type(`${query}&count=2&cursor=${cursor}`)).toBe('invalidCursor')
    }
    expect(
      await type(`/Users?count=2&cursor=${cursor}`, createScim({ cursor: { secret: 'other' } })),
    ).toBe('invalidCursor')
    expect(await type(`/Users?count=2&cursor=${cursor}.x`)).toBe('invalidCursor')
    expect((await client.get(`/Users?cursor=${cursor}`)).body['itemsPerPage']).toBe(2)
    expect(await type(`/Users?count=3&cursor=${cursor}`)).toBe('invalidCount')
    expect(await type('/?sortBy=userName&cursor=')).toBe('tooMany')
    expect(await type('/Users?sortBy=groups.display&cursor=')).toBe('tooMany')
    expect(await type('/Users?count=201&cursor=')).toBe('invalidCount')
    expect(await type('/Users?startIndex=1&cursor=')).toBe('invalidValue')
    await client.runtime.advance(61_000)
    expect(await type(`/Users?count=2&cursor=${cursor}`)).toBe('expiredCursor')
  })

  test('a cursor of one tenant is foreign to another; totals go over both types', async () => {
    const client = createScim({
      ...options,
      auth: {
        kind: 'host',
        authenticate: (request) => ({
          id: 'host',
          tenant: request.headers.get('x-tenant') ?? '',
          scopes: ['users:read', 'users:write', 'groups:read', 'groups:write'],
          kind: 'host',
        }),
      },
    })
    const [acme, globex] = [{ 'x-tenant': 'acme' }, { 'x-tenant': 'globex' }]
    for (const headers of [acme, globex])
      for (const name of ['a', 'b'])
        await client.post('/Users', { userName: `${name}@x.example` }, headers)
    await client.post('/Groups', { displayName: 'g' }, acme)
    const { body } = await client.get('/Users?count=1&cursor=', acme)
    const query = `/Users?count=1&cursor=${String(body['nextCursor'])}`
    expect((await client.get(query, acme)).status).toBe(200)
    expect((await client.get(query, globex)).body).toMatchObject(problem(400, 'invalidCursor'))
    expect((await client.get('/?count=1&cursor=', acme)).body['totalResults']).toBe(3)
  })

  test('a cursor expires after 600 seconds by default', async () => {
    const client = createScim({ cursor: true })
    for (const name of ['a', 'b']) await client.user(`${name}@x.example`)
    const { body } = await client.get('/Users?count=1&cursor=')
    const next = `/Users?count=1&cursor=${String(body['nextCursor'])}`
    await client.runtime.advance(600_000)
    expect((await client.get(next)).status).toBe(200)
    await client.runtime.advance(1)
    expect((await client.get(next)).body).toMatchObject(problem(400, 'expiredCursor'))
  })

  test('the parameter is ignored without the option; without the parameter paging is by index', async () => {
    const plain = createScim()
    await plain.user('a@x.example')
    const { body } = await plain.get('/Users?cursor=whatever')
    expect(body).toMatchObject({ totalResults: 1, startIndex: 1 })
    const client = createScim(options)
    expect((await client.get('/Users')).body).toMatchObject({ startIndex: 1 })
    expect((await client.get('/ServiceProviderConfig')).body['pagination']).toEqual({
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize: 100,
      maxPageSize: 200,
      cursorTimeout: 60,
    })
  })
})
