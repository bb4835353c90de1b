import { UniqueConflictError, type GroupWrite } from '@x/scim-core'
import { createScanStore } from '@x/scim-core/scan'
import { defineScimStoreContract } from '@x/scim-core/testing'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { createArrayHost, type ArrayHost } from './scan-host.ts'
import { createScim, ENTERPRISE, list, MESSAGES, problem, type Harness } from './support.ts'

const frame = { describe, it, beforeEach, afterEach }
for (const honoursWant of [true, false]) {
  const name = honoursWant ? 'SH-4 arrays that honour want' : 'SH-8 arrays that ignore want'
  defineScimStoreContract(frame, {
    name,
    create: () => createScanStore(createArrayHost({ honoursWant })),
  })
}

const TENANT = 'default'

function setUp(more: Partial<ArrayHost> = {}, honoursWant = true) {
  const host = { ...createArrayHost({ honoursWant }), ...more }
  return { host, scim: createScim({ store: createScanStore(host), userName: 'any' }) }
}

describe('SH-5 a host without columns for SCIM fields', () => {
  const seed = (host: ArrayHost): void => {
    const rows = host.rowsOf(TENANT)
    rows.users.push({ id: '1', userName: 'ada' }, { id: '2', userName: 'bob' })
    rows.groups.push({ id: 'g', displayName: 'Admins' })
    rows.members.push({ groupId: 'g', memberId: '1' })
  }

  test('every method works', async () => {
    const { host, scim } = setUp()
    seed(host)
    const { body } = await scim.get('/Users/1')
    expect(body).toMatchObject({
      userName: 'ada',
      active: true,
      groups: [{ value: 'g', display: 'Admins' }],
      meta: { created: '1970-01-01T00:00:00.000Z', lastModified: '1970-01-01T00:00:00.000Z' },
    })
    expect(await scim.names('userName eq "BOB"')).toEqual(['bob'])
    expect((await scim.put('/Users/2', { userName: 'bob', title: 'Clerk' })).body['title']).toBe(
      'Clerk',
    )
    const off = [{ op: 'replace', path: 'active', value: false }]
    expect((await scim.patch('/Users/2', off)).body['active']).toBe(false)
    expect((await scim.post('/Users', { userName: 'eve' })).status).toBe(201)
    expect((await scim.delete('/Users/1')).status).toBe(204)
    expect(await scim.members('g')).toEqual(['1'])
    expect((await scim.get('/Users')).body['totalResults']).toBe(3)
  })

  test('SH-6 save receives the changed rows with the loaded ones', async () => {
    const { host, scim } = setUp()
    seed(host)
    const [, bob] = host.rowsOf(TENANT).users
    await scim.patch('/Users/2', [{ op: 'replace', path: 'title', value: 'x' }])
    expect(host.saves).toHaveLength(1)
    expect(host.saves[0]).toMatchObject({
      users: {
        inserted: [],
        removed: [],
        updated: [{ before: bob, after: { attributes: { title: 'x' } } }],
      },
      groups: { inserted: [], updated: [], removed: [] },
      members: { added: [], removed: [] },
    })
    await scim.patch('/Users/2', [{ op: 'replace', path: 'title', value: 'x' }])
    await scim.get('/Users')
    expect(host.saves).toHaveLength(1)
  })
})

describe('SH-7 SH-11 refusals of the host', () => {
  test('a unique index is 409, any other error 500, and nothing is written', async () => {
    let failure: Error = new UniqueConflictError('user.userName')
    const { host, scim } = setUp({ save: () => Promise.reject(failure) })
    expect((await scim.post('/Users', { userName: 'ada' })).body).toMatchObject(
      problem(409, 'uniqueness'),
    )
    failure = new Error('the disk is full')
    expect((await scim.post('/Users', { userName: 'ada' })).status).toBe(500)
    expect(scim.errors).toEqual([failure])
    expect(host.rowsOf(TENANT).users).toEqual([])
  })

  test('hooks run before save, with the handle of the host', async () => {
    const seen: unknown[] = []
    const { host, scim } = setUp({
      onUserWrite: ({ kind }, tx) => void seen.push([kind, tx.name]),
      onGroupWrite: ({ kind }: GroupWrite, tx) =>
        void seen.push([kind, tx.name, host.saves.length]),
    })
    const id = await scim.user('ada')
    await scim.group('Admins', [id])
    expect(seen).toEqual([
      ['create', 'transaction'],
      ['create', 'transaction', 1],
      ['members', 'transaction', 1],
    ])
  })
})

describe('SH-8 requests that load a part of the data', () => {
  const wantsOf = async (
    host: ArrayHost,
    request: () => Promise<unknown>,
  ): Promise<ArrayHost['wants']> => {
    host.wants.length = 0
    await request()
    return [...host.wants]
  }
  const everything = (wants: ArrayHost['wants']): boolean =>
    wants.some(({ users, groups, members }) => [users, groups, members].includes('all'))

  test('each names the data it needs', async () => {
    const { host, scim } = setUp()
    const id = await scim.user('ada', { externalId: 'HR-1' })
    const group = await scim.group('Admins', [id])
    const add = [{ op: 'add', path: 'members', value: [{ value: id }] }]
    const small: [string, () => Promise<unknown>][] = [
      ['get', () => scim.get(`/Users/${id}`)],
      ['put', () => scim.put(`/Users/${id}`, { userName: 'ada', title: 'x' })],
      ['patch', () => scim.patch(`/Users/${id}`, [{ op: 'remove', path: 'title' }])],
      ['userName', () => scim.names('userName eq "ada" and active eq true')],
      ['externalId', () => scim.names('externalId eq "HR-1"')],
      ['list', () => scim.get('/Users?count=2')],
      ['members', () => scim.patch(`/Groups/${group}?attributes=id`, add)],
      ['delete', () => scim.delete(`/Users/${id}`)],
    ]
    for (const [, request] of small) expect(everything(await wantsOf(host, request))).toBe(false)
    const [first] = await wantsOf(host, () => scim.get('/Users?startIndex=3&count=2'))
    expect(first?.users).toEqual({ page: { offset: 2, limit: 2 } })
    const narrow = await wantsOf(host, () => scim.get(`/Users/${id}?attributes=userName`))
    expect(narrow).toEqual([{ users: { ids: [id] }, groups: 'none', members: 'none' }])
    expect(everything(await wantsOf(host, () => scim.names('title sw "x"')))).toBe(true)
  })

  test('pages of the host equal those of a store with all data', async () => {
    const pages = async (scim: Harness): Promise<unknown[]> => {
      for (let n = 0; n < 7; n += 1) await scim.user(`user${n}`)
      const answers = []
      for (const start of [1, 3, 7, 8]) {
        const { body } = await scim.get(`/Users?startIndex=${start}&count=3&attributes=userName`)
        answers.push([body['totalResults'], body['Resources']])
      }
      return answers
    }
    expect(await pages(setUp().scim)).toEqual(await pages(setUp({}, false).scim))
  })
})

test('SH-9 more users than one load may return are 500 with an explanation', async () => {
  const { host, scim } = setUp({ maxUsers: 2 }, false)
  host.rowsOf(TENANT).users.push(...['a', 'b', 'c'].map((name) => ({ id: name, userName: name })))
  expect((await scim.get('/Users')).status).toBe(500)
  expect(scim.errors).toMatchObject([
    {
      name: 'ScanLimitError',
      message:
        'The tenant default has more than 2 users; let load honour want, or use a store with push-down.',
    },
  ])
})

describe('SH-77 a sorted root search', () => {
  test.each([true, false])(
    'loads at most 6 times a page (want is honoured: %s)',
    async (honours) => {
      const { host, scim } = setUp({}, honours)
      const boss = await scim.user('boss')
      const users: string[] = []
      for (let n = 0; n < 12; n += 1) {
        const more = { [ENTERPRISE]: { manager: { value: boss } }, externalId: `x${n % 2}` }
        users.push(await scim.user(`u${n}`, more))
      }
      for (let n = 0; n < 8; n += 1) await scim.group(`g${n}`, users.slice(n, n + 3))
      for (const body of [
        { sortBy: 'displayName' },
        { sortBy: 'groups.display', filter: 'id pr' },
        { sortBy: 'members.display', sortOrder: 'descending' },
      ]) {
        const before = host.wants.length
        const page = await scim.post('/.search', {
          schemas: [`${MESSAGES}:SearchRequest`],
          ...body,
        })
        expect(page.body).toMatchObject({ totalResults: 21 })
        const shown = list(page.body['Resources']).filter((one) => Reflect.has(one, 'members'))
        expect(shown.map((one) => list(Reflect.get(one, 'members')).length)).toEqual(
          Array(8).fill(3),
        )
        expect(host.wants.length - before).toBeLessThanOrEqual(6)
      }
    },
  )
})
