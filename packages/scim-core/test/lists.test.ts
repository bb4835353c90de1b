import { beforeEach, describe, expect, test } from 'vitest'
import { createScimHandler } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createScimClient, createTestRuntime } from '@x/scim-core/testing'
import {
  BASE,
  createScim,
  ENTERPRISE as E,
  list,
  MESSAGES,
  problem,
  TOKEN,
  USER,
  type Harness,
} from './support.ts'

let scim: Harness
let ids: string[]

beforeEach(async () => {
  scim = createScim()
  ids = []
  for (const [n, title] of ['b', 'A', undefined, 'c'].entries()) {
    const more =
      title === undefined
        ? {}
        : {
            title,
            emails: [{ value: `z${n}@x.example` }, { value: `${9 - n}@x.example`, primary: true }],
          }
    ids.push(
      await scim.user(`u${n}@corp.example`, {
        active: n % 2 === 0,
        [E]: { department: `D${9 - n}` },
        ...more,
      }),
    )
    await scim.runtime.advance(10)
  }
  await scim.group('Core', [ids[0] ?? ''])
  await scim.group('apps')
})

const page = async (path: string): Promise<Record<string, unknown>> => (await scim.get(path)).body
const order = async (query: string): Promise<number[]> =>
  list((await page(`/Users?${query}`))['Resources']).map((user) =>
    ids.indexOf(Reflect.get(user, 'id')),
  )

describe('SC-30 SC-31 paging', () => {
  test('the list reports startIndex, itemsPerPage and totalResults', async () => {
    expect(await page('/Users?startIndex=2&count=2')).toMatchObject({
      schemas: [`${MESSAGES}:ListResponse`],
      totalResults: 4,
      startIndex: 2,
      itemsPerPage: 2,
    })
    expect(await page('/Users?filter=title+eq+"none"')).toMatchObject({
      totalResults: 0,
      itemsPerPage: 0,
      Resources: [],
    })
  })

  test.each([
    ['startIndex=0', { startIndex: 1, itemsPerPage: 4 }],
    ['count=-1', { itemsPerPage: 0, totalResults: 4 }],
    ['count=-5', { itemsPerPage: 0, totalResults: 4 }],
    ['startIndex=99999999999999999999', { itemsPerPage: 0, totalResults: 4 }],
    ['startIndex=x', problem(400, 'invalidValue')],
    ['count=', { itemsPerPage: 4, totalResults: 4 }],
    ['count=1e2', problem(400, 'invalidValue')],
  ])('?%s', async (query, expected) => {
    expect(await page(`/Users?${query}`)).toMatchObject(expected)
  })

  test('D20 the default page size is 100, the default maximum 200', async () => {
    const large = createScim()
    for (let n = 0; n < 201; n += 1) await large.user(`u${n}@x.example`)
    const size = async (query: string): Promise<unknown> =>
      (await large.get(`/Users?attributes=id&${query}`)).body['itemsPerPage']
    expect([await size(''), await size('count=200'), await size('count=9999')]).toEqual([
      100, 200, 200,
    ])
  })

  test('D20 a page size above the maximum is lowered to it', async () => {
    const client = createScim({ cursor: true, pageSize: 5, maxPageSize: 2 })
    for (const name of ['a', 'b', 'c']) await client.user(`${name}@x.example`)
    expect((await client.get('/Users?cursor=')).body['itemsPerPage']).toBe(2)
  })

  test('D20 page size and maximum can be configured', async () => {
    const small = createScim({ pageSize: 1, maxPageSize: 2 })
    for (const name of ['a', 'b', 'c']) await small.user(`${name}@x.example`)
    expect((await small.get('/Users')).body['itemsPerPage']).toBe(1)
    expect((await small.get('/Users?count=100')).body['itemsPerPage']).toBe(2)
    expect((await small.get('/ServiceProviderConfig')).body['filter']).toEqual({
      supported: true,
      maxResults: 2,
    })
  })

  test('concatenated pages hold each resource once', async () => {
    const seen: number[] = []
    for (const start of [1, 2, 3, 4]) seen.push(...(await order(`startIndex=${start}&count=1`)))
    expect(seen).toEqual([0, 1, 2, 3])
  })
})

describe('SC-32 sorting', () => {
  test.each([
    ['sortBy=title', [1, 0, 3, 2]],
    ['sortBy=title&sortOrder=descending', [2, 3, 0, 1]],
    ['sortBy=title&sortOrder=Ascending', [1, 0, 3, 2]],
    ['sortBy=emails', [3, 1, 0, 2]],
    ['sortBy=emails.value', [3, 1, 0, 2]],
    [`sortBy=${E}:department`, [3, 2, 1, 0]],
    [`sortBy=${USER}:userName&sortOrder=descending`, [3, 2, 1, 0]],
    ['sortBy=active', [1, 3, 0, 2]],
    ['sortBy=meta.created&sortOrder=descending', [3, 2, 1, 0]],
    ['sortBy=meta.resourceType', [0, 1, 2, 3]],
    ['sortBy=groups.display', [0, 1, 2, 3]],
  ])('?%s', async (query, expected) => {
    expect(await order(query)).toEqual(expected)
  })

  test('sorts by folded code points; ties and missing values by id, ascending or descending', async () => {
    const sorted = createScim()
    const made: string[] = []
    for (const title of ['\u{1f680}', '\ufffd', 'B', 'a', undefined, undefined, 'b'])
      made.push(
        await sorted.user(`u${made.length}@x.example`, title === undefined ? {} : { title }),
      )
    const by = async (query: string): Promise<number[]> =>
      list((await sorted.get(query)).body['Resources']).map((one) =>
        made.indexOf(Reflect.get(one, 'id')),
      )
    const byId = (...numbers: number[]): number[] =>
      numbers.toSorted((a, b) => ((made[a] ?? '') < (made[b] ?? '') ? -1 : 1))
    const ascending = [3, ...byId(2, 6), 1, 0, ...byId(4, 5)]
    const descending = [...byId(4, 5), 0, 1, ...byId(2, 6), 3]
    for (const path of ['/Users', '/']) {
      expect(await by(`${path}?sortBy=title`)).toEqual(ascending)
      expect(await by(`${path}?sortBy=title&sortOrder=descending`)).toEqual(descending)
    }
  })

  test.each([
    'sortBy=shoe',
    'sortBy=password',
    'sortBy=name',
    'sortBy=title&sortOrder=up',
    'sortBy=title[x',
    'sortBy=addresses',
  ])('refused: %s', async (query) => {
    expect(await page(`/Users?${query}`)).toMatchObject(problem(400, 'invalidValue'))
  })
})

describe('SC-33 projection', () => {
  const get = (query: string): Promise<Record<string, unknown>> => page(`/Users/${ids[0]}?${query}`)
  const base = { schemas: [USER, E], id: expect.any(String) }

  test.each([
    ['attributes=userName', { userName: 'u0@corp.example' }],
    [
      'attributes=userName,%20title&attributes=active',
      { userName: 'u0@corp.example', title: 'b', active: true },
    ],
    [`attributes=${E}:department`, { [E]: { department: 'D9' } }],
    [`attributes=${E}`, { [E]: { department: 'D9' } }],
    [`attributes=${USER}:title`, { title: 'b' }],
    ['attributes=department', { [E]: { department: 'D9' } }],
    ['attributes=emails.value', { emails: [{ value: 'z0@x.example' }, { value: '9@x.example' }] }],
    ['attributes=emails.primary', { emails: [{ primary: true }] }],
    ['attributes=meta.resourceType', { meta: { resourceType: 'User' } }],
    ['attributes=groups.display', { groups: [{ display: 'Core' }] }],
    ['attributes=groups.$ref', { groups: [{ $ref: expect.stringContaining(`${BASE}/Groups/`) }] }],
    ['attributes=unknown,password,name', {}],
  ])('?%s', async (query, expected) => {
    expect(await get(query)).toEqual({ ...base, ...expected })
  })

  test('excludedAttributes may be given twice; the widest path wins', async () => {
    const without = await get('excludedAttributes=title&excludedAttributes=active,userName')
    for (const name of ['title', 'active', 'userName']) expect(without).not.toHaveProperty(name)
    for (const names of [`${E},${E}:costCenter`, `${E}:costCenter,${E}`]) {
      expect(await get(`attributes=${names}`)).toEqual({ ...base, [E]: { department: 'D9' } })
      expect(await get(`excludedAttributes=${names}`)).not.toHaveProperty([E])
    }
    for (const names of ['meta,meta.location', 'meta.location,meta']) {
      const { meta } = await get(`attributes=${names}`)
      expect(meta).toHaveProperty('resourceType', 'User')
      expect(await get(`excludedAttributes=${names}`)).not.toHaveProperty('meta')
    }
    const narrowed = (await get('excludedAttributes=meta.location,meta.created'))['meta']
    expect(Object.keys(narrowed as object)).toEqual(['resourceType', 'lastModified'])
  })

  test('sub-attributes returned always, on request or never', async () => {
    const urn = 'urn:example:badge'
    const returned = ['always', 'default', 'request', 'never'] as const
    const subAttributes = returned.map((one) => ({ name: one, returned: one }))
    const attributes = [{ name: 'badge', type: 'complex' as const, subAttributes }]
    const client = createScim({
      extensions: [
        { urn, name: 'B', description: '', resourceType: 'User', required: false, attributes },
      ],
    })
    const badge = Object.fromEntries(returned.map((one) => [one, one]))
    const id = await client.user('a@x.example', { [urn]: { badge } })
    const shown = async (query: string): Promise<string[]> => {
      const { body } = await client.get(`/Users/${id}?${query}`)
      return Object.keys(Reflect.get((body[urn] as object | undefined) ?? {}, 'badge') ?? {})
    }
    expect(await shown('')).toEqual(['always', 'default'])
    expect(await shown(`attributes=${urn}:badge`)).toEqual(['always', 'default', 'request'])
    expect(await shown(`attributes=${urn}:badge.request`)).toEqual(['always', 'request'])
    expect(await shown(`attributes=${urn}:badge.never`)).toEqual(['always'])
    expect(await shown(`excludedAttributes=${urn}:badge.default`)).toEqual(['always'])
    expect(await shown(`excludedAttributes=${urn}:badge.always`)).toEqual(['always', 'default'])
    expect(await shown('excludedAttributes=title')).toEqual(['always', 'default'])
    for (const query of [`filter=${urn}:badge.never+pr`, `filter=${urn}:badge[never+pr]`])
      expect((await client.get(`/Users?${query}`)).body).toMatchObject(
        problem(400, 'invalidFilter'),
      )
    const sorted = await client.get(`/Users?sortBy=${urn}:badge.never`)
    expect(sorted.body).toMatchObject(problem(400, 'invalidValue'))
  })

  test('excludedAttributes takes away all but schemas and id', async () => {
    const body = await get(
      `excludedAttributes=schemas,id,meta,groups,active,emails.value,${E},unknown`,
    )
    expect(body).toEqual({
      ...base,
      userName: 'u0@corp.example',
      title: 'b',
      emails: [{ primary: true }],
    })
  })

  test('applies to answers of writes; attributes and excludedAttributes together are refused', async () => {
    const created = await scim.post('/Users?attributes=userName', {
      userName: 'new@corp.example',
      title: 't',
    })
    expect(created.body).toEqual({
      schemas: [USER],
      id: created.body.id,
      userName: 'new@corp.example',
    })
    const path = `/Users/${created.body.id}`
    const put = await scim.put(`${path}?excludedAttributes=meta`, { userName: 'new@corp.example' })
    expect(put.body).not.toHaveProperty('meta')
    const patched = await scim.patch(`${path}?attributes=title`, [
      { op: 'add', path: 'title', value: 'x' },
    ])
    expect(Object.keys(patched.body)).toEqual(['schemas', 'id', 'title'])
    expect((await scim.get(`${path}?attributes=a&excludedAttributes=b`)).body).toMatchObject(
      problem(400, 'invalidValue'),
    )
  })

  test('SC-34 members and groups are not read unless they are returned', async () => {
    const store = createMemoryScimStore()
    const unread = (): never => {
      throw new Error('read')
    }
    const options = { baseUrl: BASE, auth: { kind: 'token', token: TOKEN } as const }
    const writer = createScimClient(createScimHandler({ ...options, store }), { token: TOKEN })
    const user = await writer.post('/Users', { userName: 'a@x.example' })
    await writer.post('/Groups', { displayName: 'g', members: [{ value: user.body.id }] })
    const blind = { ...store, members: { ...store.members, list: unread, groupsOf: unread } }
    const client = createScimClient(createScimHandler({ ...options, store: blind }), {
      token: TOKEN,
    })
    expect((await client.get('/Groups?excludedAttributes=members')).status).toBe(200)
    expect((await client.get('/Users?attributes=userName')).status).toBe(200)
    expect((await client.get(`/Users/${user.body.id}?excludedAttributes=groups`)).status).toBe(200)
    expect((await client.get('/Groups')).status).toBe(500)
    const asked: unknown[] = []
    const users = {
      ...store.users,
      get: (...args: Parameters<typeof store.users.get>) => {
        asked.push(args[2]?.withGroups)
        return store.users.get(...args)
      },
    }
    const watched = createScimClient(
      createScimHandler({ ...options, store: { ...store, users } }),
      { token: TOKEN },
    )
    for (const query of ['', '?attributes=userName', '?excludedAttributes=groups'])
      await watched.get(`/Users/${user.body.id}${query}`)
    expect(asked).toEqual([true, false, false])
  })
})

describe('SC-35 search', () => {
  const search = (path: string, body: object): Promise<Record<string, unknown>> =>
    scim
      .post(path, { schemas: [`${MESSAGES}:SearchRequest`], ...body })
      .then((answer) => answer.body)

  test('returns what GET returns', async () => {
    const body = {
      filter: 'active eq true',
      sortBy: 'userName',
      sortOrder: 'descending',
      count: 1,
      attributes: ['userName'],
    }
    expect(await search('/Users/.search', body)).toEqual(
      await page(
        '/Users?filter=active+eq+true&sortBy=userName&sortOrder=descending&count=1&attributes=userName',
      ),
    )
    expect(await search('/Groups/.search', { startIndex: 2 })).toEqual(
      await page('/Groups?startIndex=2'),
    )
    expect(
      await search('/Users/.SEARCH', { EXCLUDEDATTRIBUTES: ['meta, name', 'emails'] }),
    ).toEqual(await page('/Users?excludedAttributes=meta,name,emails'))
    const client = createScim({ cursor: true })
    await client.user('a@x.example')
    const searched = await client.post('/Users/.search', {
      schemas: [`${MESSAGES}:SearchRequest`],
      cursor: '',
    })
    expect(searched.body).not.toHaveProperty('startIndex')
    expect(searched.body['totalResults']).toBe(1)
  })

  test.each([
    [{ schemas: undefined }, 'invalidSyntax'],
    [{ schemas: ['urn:x'] }, 'invalidSyntax'],
    [{ count: '5' }, 'invalidValue'],
    [{ startIndex: 1.5 }, 'invalidValue'],
    [{ attributes: [5] }, 'invalidValue'],
    [{ filter: 5 }, 'invalidValue'],
    [{ filter: '' }, 'invalidFilter'],
    [{ attributes: ['a'], excludedAttributes: ['b'] }, 'invalidValue'],
  ])('%j: %s', async (body, scimType) => {
    expect(await search('/Users/.search', body)).toMatchObject(problem(400, scimType))
  })

  test('searches both types across pages: users first, then groups', async () => {
    const types = async (query: string): Promise<unknown[]> =>
      list((await page(`/?${query}`))['Resources']).map(
        (one) => Reflect.get(one, 'userName') ?? Reflect.get(one, 'displayName'),
      )
    const all = [
      'u0@corp.example',
      'u1@corp.example',
      'u2@corp.example',
      'u3@corp.example',
      'Core',
      'apps',
    ]
    expect(await types('')).toEqual(all)
    expect(await types('startIndex=4&count=2')).toEqual(all.slice(3, 5))
    expect(await types('startIndex=6&count=5')).toEqual(all.slice(5))
    expect(await search('/.search', {})).toEqual(await page('/'))
    expect((await page('/?count=0'))['totalResults']).toBe(6)
    expect(await types('sortBy=displayName&count=3')).toEqual(['apps', 'Core', 'u0@corp.example'])
    expect(await types('sortBy=meta.resourceType&count=2')).toEqual(['Core', 'apps'])
    expect(await types('sortBy=title&sortOrder=descending&startIndex=2&count=1')).toHaveLength(1)
    expect(await types('sortBy=userName&sortOrder=descending&startIndex=3&count=2')).toEqual([
      'u3@corp.example',
      'u2@corp.example',
    ])
  })

  test('SC-32 sorts both types by attributes of other tables', async () => {
    const [first = '', , third = ''] = ids
    await scim.group('Alpha', [third])
    await scim.patch(`/Users/${ids[1]}`, [{ op: 'add', path: 'manager', value: third }])
    await scim.patch(`/Users/${third}`, [{ op: 'add', path: 'displayName', value: 'Zed' }])
    await scim.patch(`/Users/${ids[3]}`, [{ op: 'add', path: 'manager', value: first }])
    await scim.patch(`/Users/${first}`, [{ op: 'add', path: 'displayName', value: 'Ann' }])
    const names = async (query: string): Promise<unknown[]> =>
      list((await page(`/?count=2&${query}`))['Resources']).map(
        (one) => Reflect.get(one, 'displayName') ?? Reflect.get(one, 'userName'),
      )
    expect(await names('sortBy=groups.display')).toEqual(['Zed', 'Ann'])
    expect(await names('sortBy=members.display')).toEqual(['Core', 'Alpha'])
    expect(await names('sortBy=manager.displayName')).toEqual([
      'u3@corp.example',
      'u1@corp.example',
    ])
  })

  test('SC-32 resources without the sort attribute are ordered by id, also across pages', async () => {
    let next = 9
    const backwards = createScim({
      runtime: {
        ...createTestRuntime(),
        uuid: () => {
          next -= 1
          return `id-${next}`
        },
      },
    })
    await backwards.group('a')
    const second = await backwards.group('b')
    const { body } = await backwards.get('/?sortBy=userName&sortOrder=descending&count=1')
    expect(list(body['Resources'])).toMatchObject([{ id: second }])
  })

  test('SC-41 an attribute that a type lacks is absent there', async () => {
    const total = async (filter: string): Promise<unknown> =>
      (await page(`/?filter=${encodeURIComponent(filter)}`))['totalResults']
    expect(await total('title pr')).toBe(3)
    expect(await total('displayName eq "core" or userName sw "u0"')).toBe(2)
    expect(await total('shoe eq "x"')).toBe(0)
    expect(await total('shoe ne "x"')).toBe(6)
    expect(await total('not (shoe pr)')).toBe(6)
    expect(await total(`schemas eq "${USER.toUpperCase()}"`)).toBe(4)
    expect(await total('meta.resourceType eq "Group"')).toBe(2)
  })
})

describe('SC-42 filterable attributes', () => {
  test.each([
    'id pr',
    'schemas co "core"',
    `schemas eq "${E}"`,
    'meta.resourceType eq "User"',
    `meta.location sw "${BASE}"`,
    'meta.created gt "2020-01-01T00:00:00Z"',
    'meta.lastModified le "2090-01-01T00:00:00+02:00"',
    'meta pr',
    `${E}:department sw "d"`,
    'department sw "d"',
    'userName sw u',
    'meta[resourceType eq "User"]',
    'meta[created pr and resourceType ne "Group"]',
    `schemas[value eq "${USER.toUpperCase()}"]`,
    `schemas[value co "enterprise"]`,
    `schemas[value sw "urn"] eq "${E}"`,
  ])('%s: all', async (filter) => {
    expect(await scim.names(filter)).toHaveLength(4)
  })

  test.each([
    'meta.version pr',
    `schemas eq "urn:other"`,
    'groups.value eq "x"',
    'meta[resourceType eq "group"]',
    'schemas[value eq "urn:other"]',
    `schemas[value co "core"] eq "${E}"`,
  ])('%s: none', async (filter) => {
    expect(await scim.names(filter)).toEqual([])
  })
})
