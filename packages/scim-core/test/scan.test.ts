import { UniqueConflictError, type GroupWrite } from '@x/scim-core'
import {
  createScanStore,
  type ScanGroup,
  type ScanMember,
  type ScanUser,
  type ScanRequest,
} from '@x/scim-core/scan'
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

  test('what the host has no column for is shown in the answer to the write alone', async () => {
    const { host, scim } = setUp()
    seed(host)
    const { save } = host
    host.save = (tenant, { users, groups, members }, tx) => {
      const bare = ({ id, userName }: ScanUser): ScanUser => ({ id, userName })
      const plain = ({ id, displayName }: ScanGroup): ScanGroup => ({ id, displayName })
      const link = ({ groupId, memberId }: ScanMember): ScanMember => ({ groupId, memberId })
      return save(
        tenant,
        {
          users: {
            ...users,
            inserted: users.inserted.map(bare),
            updated: users.updated.map(({ before, after }) => ({ before, after: bare(after) })),
          },
          groups: {
            ...groups,
            inserted: groups.inserted.map(plain),
            updated: groups.updated.map(({ before, after }) => ({ before, after: plain(after) })),
          },
          members: { ...members, added: members.added.map(link) },
        },
        tx,
      )
    }
    const made = await scim.post('/Users', { userName: 'eve', title: 'Dr', active: false })
    expect(made.body).toMatchObject({ title: 'Dr', active: false })
    const { body } = await scim.get(`/Users/${made.body.id}`)
    expect(body).toMatchObject({
      active: true,
      meta: { created: '1970-01-01T00:00:00.000Z', lastModified: '1970-01-01T00:00:00.000Z' },
    })
    expect(body).not.toHaveProperty('title')
    const group = await scim.group('Staff', [made.body.id])
    expect((await scim.get(`/Groups/${group}`)).body).toMatchObject({
      displayName: 'Staff',
      members: [{ value: made.body.id }],
      meta: { lastModified: '1970-01-01T00:00:00.000Z' },
    })
    const rename = [{ op: 'replace', path: 'displayName', value: 'Crew' }]
    expect((await scim.patch(`/Groups/${group}`, rename)).body['displayName']).toBe('Crew')
    expect((await scim.put(`/Groups/${group}`, { displayName: 'Team' })).status).toBe(200)
    expect((await scim.get('/Groups?filter=displayName eq "TEAM"')).body['totalResults']).toBe(1)
    // A name is unique where the host has no column that says otherwise.
    expect((await scim.post('/Groups', { displayName: 'team' })).status).toBe(409)
    expect((await scim.delete(`/Groups/${group}`)).status).toBe(204)
    expect((await scim.get('/Groups')).body['totalResults']).toBe(1)
  })

  test('SH-6 a tombstone is an update; a row that stays as it is is not saved', async () => {
    const host = createArrayHost({ honoursWant: true })
    seed(host)
    const store = createScanStore({ ...host, keepsDeleted: true })
    await store.transaction(TENANT, async (tx) => {
      const bob = await tx.users.get(TENANT, '2')
      const admins = await tx.groups.get(TENANT, 'g')
      if (bob === null || admins === null) throw new Error('The rows are there')
      await tx.users.update(TENANT, { ...bob, active: false }, 1)
      await tx.users.update(TENANT, bob, 1)
      await tx.groups.update(TENANT, admins, 1)
    })
    expect(host.saves).toEqual([])
    const scim = createScim({ store, userName: 'any', deleteUser: 'tombstone' })
    expect((await scim.delete('/Users/2')).status).toBe(204)
    const nothing = { inserted: [], updated: [], removed: [] }
    expect(host.saves).toMatchObject([
      {
        users: {
          ...nothing,
          updated: [
            {
              before: { id: '2', userName: 'bob' },
              after: { id: '2', deletedAt: expect.any(Date) as Date },
            },
          ],
        },
        groups: nothing,
        members: { added: [], removed: [] },
      },
    ])
    expect((await scim.get('/Users/2')).status).toBe(404)
    expect((await scim.post('/Users', { userName: 'Bob' })).status).toBe(201)
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
    failure = new UniqueConflictError('group.displayName')
    expect((await scim.post('/Groups', { displayName: 'g' })).body).toMatchObject(
      problem(409, 'uniqueness'),
    )
    failure = new Error('the disk is full')
    expect((await scim.post('/Users', { userName: 'ada' })).status).toBe(500)
    expect(scim.errors).toEqual([failure])
    expect(host.rowsOf(TENANT).users).toEqual([])
  })

  test.each([true, false])(
    'the store asks for a name before it is taken, and finds the conflict itself (want is honoured: %s)',
    async (honours) => {
      const { host, scim } = setUp({}, honours)
      const [ada, bob] = [await scim.user('ada'), await scim.user('bob')]
      const group = await scim.group('Admins')
      await scim.group('Staff')
      const rename = (path: string, value: string) => [{ op: 'replace', path, value }]
      host.saves.length = 0
      host.wants.length = 0
      expect((await scim.post('/Users', { userName: 'BOB' })).status).toBe(409)
      expect((await scim.patch(`/Users/${ada}`, rename('userName', 'Bob'))).status).toBe(409)
      expect((await scim.put(`/Users/${ada}`, { userName: 'Bob' })).status).toBe(409)
      expect((await scim.post('/Groups', { displayName: 'STAFF' })).status).toBe(409)
      expect((await scim.patch(`/Groups/${group}`, rename('displayName', 'Staff'))).status).toBe(
        409,
      )
      expect(host.saves).toEqual([])
      expect(host.wants.filter(({ users }) => keyOf(users) === 'bob')).toHaveLength(3)
      expect(host.wants.filter(({ groups }) => keyOf(groups) === 'staff')).toHaveLength(2)
      expect((await scim.patch(`/Users/${bob}`, rename('userName', 'BOB'))).status).toBe(200)
    },
  )

  test('SF-37 hooks see what they are told about, with the handle of the host', async () => {
    const seen: unknown[] = []
    const { host, scim } = setUp({
      onUserWrite: ({ kind }, tx) => void seen.push([kind, tx.name, rows().users.length]),
      onGroupWrite: ({ kind }: GroupWrite, tx) =>
        void seen.push([kind, tx.name, rows().groups[0]?.displayName, rows().members.length]),
    })
    const rows = () => host.rowsOf('default')
    const id = await scim.user('ada')
    const groupId = await scim.group('Admins', [id])
    await scim.patch(`/Groups/${groupId}`, [
      { op: 'replace', path: 'displayName', value: 'Staff' },
      { op: 'remove', path: 'members' },
    ])
    expect(seen).toEqual([
      ['create', 'transaction', 1],
      ['create', 'transaction', 'Admins', 0],
      ['members', 'transaction', 'Admins', 1],
      ['members', 'transaction', 'Staff', 0],
      ['update', 'transaction', 'Staff', 0],
    ])
    expect(host.saves).toHaveLength(4)
  })

  test('SF-37 a hook that refuses leaves nothing, and beforeCommit sees the rows', async () => {
    let refuses = false
    const { host, scim } = setUp({
      onGroupWrite: ({ kind }: GroupWrite) => {
        if (refuses && kind === 'members') throw new Error('refused')
      },
    })
    const id = await scim.user('ada')
    const before = structuredClone(host.rowsOf('default'))
    refuses = true
    const { status } = await scim.post('/Groups', { displayName: 'g', members: [{ value: id }] })
    expect(status).toBe(500)
    expect(host.rowsOf('default')).toEqual(before)
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

  test('of a user: its own row, and groups only where they are shown', async () => {
    const { host, scim } = setUp()
    const id = await scim.user('ada', { externalId: 'HR-1' })
    const path = `/Users/${id}`
    const own = { users: { ids: [id] }, groups: 'none', members: 'none' }
    const title = [{ op: 'replace', path: 'title', value: 'x' }]
    const narrow = `${path}?excludedAttributes=groups`
    expect(await wantsOf(host, () => scim.get(narrow))).toEqual([own])
    expect(await wantsOf(host, () => scim.put(narrow, { userName: 'ada' }))).toEqual([own])
    expect(await wantsOf(host, () => scim.patch(narrow, title))).toEqual([own])
    const shown = await wantsOf(host, () => scim.get(path))
    expect(shown).toEqual([own, { users: 'none', groups: 'none', members: { memberIds: [id] } }])
    expect(await wantsOf(host, () => scim.delete(path))).toEqual([own])
    for (const filter of ['userName eq "ADA"', 'active eq true and userName eq "Ada"']) {
      const [first] = await wantsOf(host, () => scim.names(filter))
      expect(first?.users).toEqual({ userNameKey: 'ada' })
    }
    const [known] = await wantsOf(host, () => scim.names('externalId eq "HR-1" and title pr'))
    expect(known?.users).toEqual({ externalId: 'HR-1' })
  })

  test('of a group: its members, and the users that the request names', async () => {
    const { host, scim } = setUp()
    const [ada, bob] = [await scim.user('ada'), await scim.user('bob')]
    const id = await scim.group('Admins', [ada])
    const add = [{ op: 'add', path: 'members', value: [{ value: bob }] }]
    const wants = await wantsOf(host, () => scim.patch(`/Groups/${id}?attributes=id`, add))
    const parts = (name: 'users' | 'groups' | 'members') =>
      wants.map((want) => want[name]).filter((part) => part !== 'none')
    expect(parts('users')).toEqual([{ ids: [bob] }])
    expect(parts('groups')).toEqual([{ ids: [id] }])
    expect(parts('members')).toEqual([{ groupIds: [id] }])
  })

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
      ['SF-24 address', () => scim.names('emails.value eq "ada@app.example"')],
      ['SF-24 create', () => scim.user('bob', { emails: [{ value: 'bob@app.example' }] })],
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

describe('SF-42 ids of the host', () => {
  const numbered = () => {
    let next = 41
    const asked: string[] = []
    const newId = async (kind: string, tenant: string) => {
      asked.push(`${kind} of ${tenant}`)
      return String((next += 1))
    }
    return { ...setUp({ newId }), asked }
  }

  test('are asked once for each row, and work everywhere', async () => {
    const { scim, asked, host } = numbered()
    const made = await scim.post('/Users', { userName: 'ada' })
    expect(made.body).toMatchObject({ id: '42' })
    expect(made.headers.get('location')).toMatch(/\/Users\/42$/)
    await scim.user('bob')
    expect((await scim.post('/Users', { userName: 'ADA' })).status).toBe(409)
    // Members as JSON numbers too.
    const group = await scim.group('Admins', [42 as never])
    expect(group).toBe('44')
    await scim.patch(`/Groups/${group}`, [{ op: 'add', path: 'members', value: [{ value: 43 }] }])
    expect(await scim.members(group)).toEqual(['42', '43'])
    expect(await scim.names('id eq "42"')).toEqual(['ada'])
    expect(asked).toEqual(['user', 'user', 'group'].map((kind) => `${kind} of default`))
    expect(host.rowsOf('default').users.map(({ id }) => id)).toEqual(['42', '43'])
  })

  test.each([['a/b'], [''], ['x'.repeat(129)], [42], ['taken']])(
    'a wrong or taken one is 500: %j',
    async (id) => {
      const { scim } = setUp({ newId: async () => id as string })
      if (id === 'taken') await scim.user('first')
      expect((await scim.post('/Users', { userName: 'ada' })).status).toBe(500)
      expect(scim.errors.map(String)).toEqual([expect.stringContaining('newId')])
    },
  )
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

/** The folded name that a part of a want asks for. */
function keyOf(part: ScanRequest['users'] | ScanRequest['groups']): unknown {
  if (typeof part !== 'object') return undefined
  return 'userNameKey' in part ? part.userNameKey : Reflect.get(part, 'displayNameKey')
}
