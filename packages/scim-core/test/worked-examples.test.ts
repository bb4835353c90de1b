import { beforeEach, describe, expect, test } from 'vitest'
import {
  BASE,
  createScim,
  ENTERPRISE as E,
  ERROR,
  list,
  MESSAGES,
  problem,
  USER,
  type Harness,
} from './support.ts'

let scim: Harness
let mira: string

const at = (): string => `/Users/${mira}`
const miraBody = {
  schemas: [USER],
  userName: 'Mira.K@corp.example',
  externalId: 'HR-9',
  name: { givenName: 'Mira', familyName: 'Kovac' },
  emails: [{ value: 'mira.k@corp.example', type: 'work', primary: true }],
  active: true,
}

beforeEach(async () => {
  scim = createScim()
  const { body } = await scim.post('/Users', miraBody)
  mira = body.id
  scim.events.length = 0
  await scim.runtime.advance(60_000)
})

test('X1 refused: another scheme, or SCIM disabled', async () => {
  const { status, headers, body } = await scim.get('/Groups', { authorization: 'Token abc' })
  expect(status).toBe(401)
  expect(headers.get('content-type')).toBe('application/scim+json')
  expect(headers.get('www-authenticate')).toBe('Bearer realm="scim"')
  expect(body).toEqual({
    schemas: [ERROR],
    status: '401',
    detail: 'Expected Authorization: Bearer <token>.',
  })
  expect((await createScim({ enabled: false }).get('/Groups')).status).toBe(401)
})

test('X2 odd spelling on create', async () => {
  const { status, headers, body } = await scim.post('/Users', {
    Schemas: [USER, E, 'urn:vendor:dir:1.0:Thing'],
    USERNAME: 'jon@corp.example',
    Active: 'FALSE',
    Emails: [{ VALUE: 'jon@corp.example', Primary: 'True' }],
    [E]: { CostCenter: 'C7', Manager: { Value: 'boss-unknown' } },
    password: 'pw',
    shoeSize: 44,
    groups: [],
  })
  expect(status).toBe(201)
  expect(headers.get('location')).toBe(`${BASE}/Users/${body.id}`)
  const { id: _id, meta: _meta, ...rest } = body
  expect(rest).toEqual({
    schemas: [USER, E],
    userName: 'jon@corp.example',
    active: false,
    emails: [{ value: 'jon@corp.example', primary: true }],
    [E]: { costCenter: 'C7', manager: { value: 'boss-unknown' } },
  })
})

test('X3 D10 PUT without active keeps it and clears the rest', async () => {
  const jon = await scim.user('jon@corp.example', {
    active: false,
    emails: [{ value: 'j@x.example' }],
    [E]: { department: 'D' },
  })
  const { status, body } = await scim.put(`/Users/${jon}`, {
    schemas: [USER],
    userName: 'jon@corp.example',
    title: 'Clerk',
  })
  expect(status).toBe(200)
  const { meta: _meta, ...rest } = body
  expect(rest).toEqual({
    schemas: [USER],
    id: jon,
    userName: 'jon@corp.example',
    title: 'Clerk',
    active: false,
  })
})

describe('X4 SC-39 conditions on one element or on several', () => {
  beforeEach(async () => {
    await scim.patch(at(), [
      { op: 'add', path: 'emails', value: [{ value: 'mk@home.example', type: 'home' }] },
    ])
  })
  const cases: readonly [string, boolean][] = [
    ['emails[type eq "home" and value sw "mira"]', false],
    ['emails.type eq "home" and emails.value sw "mira"', true],
    ['emails ew "home.example"', true],
    ['emails[type eq "home"].value eq "MK@HOME.example"', true],
    ['not (title sw "X")', true],
    ['title ne "X"', true],
    ['title eq null', true],
    ['externalId eq "hr-9"', false],
    ['title sw "X" or externalId eq "HR-9" and active eq false', false],
  ]
  test.each(cases)('%s: %s', async (filter, matches) => {
    expect(await scim.names(filter)).toEqual(matches ? ['Mira.K@corp.example'] : [])
  })
})

test('X5 SC-52 a value without path whose keys are paths', async () => {
  const before = await scim.get(at())
  const { status, body } = await scim.patch(at(), [
    {
      op: 'Replace',
      value: {
        nickName: 'Mi',
        'name.middleName': 'J',
        [`${E}:division`]: 'D1',
        'emails[type eq "work"].display': 'Work',
        id: 'zz',
        meta: { location: 'x' },
      },
    },
  ])
  expect(status).toBe(200)
  expect(body).toMatchObject({
    id: mira,
    nickName: 'Mi',
    schemas: [USER, E],
    [E]: { division: 'D1' },
    meta: { location: `${BASE}/Users/${mira}` },
  })
  expect(body['name']).toEqual({ givenName: 'Mira', familyName: 'Kovac', middleName: 'J' })
  expect(body['emails']).toEqual([
    { value: 'mira.k@corp.example', type: 'work', primary: true, display: 'Work' },
  ])
  expect(Reflect.get(body['meta'] as object, 'created')).toBe(
    Reflect.get(before.body['meta'] as object, 'created'),
  )
})

test('X6 SC-54 a value filter without match creates the element', async () => {
  const { status, body } = await scim.patch(at(), [
    { op: 'add', path: 'addresses[type eq "home"].country', value: 'HR' },
    { op: 'replace', path: 'addresses[type eq "home"].postalCode', value: '10000' },
  ])
  expect(status).toBe(200)
  expect(body['addresses']).toEqual([{ type: 'home', country: 'HR', postalCode: '10000' }])
})

test('X6 SC-54 without usable equality terms it is noTarget, and nothing changes', async () => {
  const before = await scim.get(at())
  const refused = await scim.patch(at(), [
    { op: 'add', path: 'addresses[type sw "ho"].country', value: 'HR' },
  ])
  expect(refused.status).toBe(400)
  expect(refused.body).toMatchObject(problem(400, 'noTarget'))
  expect((await scim.get(at())).body).toEqual(before.body)
})

test('X7 SC-51 primary', async () => {
  const added = await scim.patch(at(), [
    { op: 'add', path: 'emails', value: [{ value: 'mk@home.example', type: 'home' }] },
  ])
  expect(list(added.body['emails'])[0]).toMatchObject({ type: 'work', primary: true })
  const { body } = await scim.patch(at(), [
    { op: 'replace', path: 'emails[type eq "home"].primary', value: true },
  ])
  expect(list(body['emails']).filter((email) => Reflect.get(email, 'primary') === true)).toEqual([
    { value: 'mk@home.example', type: 'home', primary: true },
  ])
})

test('X8 SC-47 all or nothing, with one audit entry', async () => {
  const before = await scim.get(at())
  scim.events.length = 0
  const { status, body } = await scim.patch(at(), [
    { op: 'add', path: 'title', value: 'Lead' },
    { op: 'replace', path: 'meta.created', value: '2001-01-01T00:00:00Z' },
  ])
  expect(status).toBe(400)
  expect(body).toMatchObject(problem(400, 'mutability'))
  expect(scim.events).toEqual(['audit'])
  expect(scim.payloads.at(-1)?.event).toMatchObject({
    entry: { op: 'patch', status: 400, scimType: 'mutability' },
  })
  expect((await scim.get(at())).body).toEqual(before.body)
})

test('X9 SC-57 nothing changes', async () => {
  const before = await scim.get(at())
  const { status, body } = await scim.patch(at(), [
    {
      op: 'add',
      path: 'emails',
      value: [{ type: 'work', primary: true, value: 'mira.k@corp.example' }],
    },
    { op: 'replace', path: 'externalId', value: 'HR-9' },
  ])
  expect(status).toBe(200)
  expect(body).toEqual(before.body)
})

test('X10 SC-50 unassign', async () => {
  const patch = async (...operations: object[]): Promise<Record<string, unknown>> =>
    (await scim.patch(at(), operations)).body
  const noName = await patch(
    { op: 'remove', path: 'name.givenName' },
    { op: 'remove', path: 'name.familyName' },
  )
  expect(noName).not.toHaveProperty('name')
  expect(await patch({ op: 'remove', path: 'emails[type eq "work"]' })).not.toHaveProperty('emails')
  expect(await patch({ op: 'add', path: 'nickName', value: 'Mi' })).toHaveProperty('nickName', 'Mi')
  expect(await patch({ op: 'replace', path: 'nickName', value: null })).not.toHaveProperty(
    'nickName',
  )
  expect(await patch({ op: 'remove', path: 'userName' })).toMatchObject(problem(400, 'mutability'))
})

test('X11 singular attributes in arrays; manager as string', async () => {
  const patch = async (
    path: string,
    value: unknown,
    op = 'replace',
  ): Promise<Record<string, unknown>> => (await scim.patch(at(), [{ op, path, value }])).body
  expect(await patch('title', ['Lead'])).toHaveProperty('title', 'Lead')
  expect(await patch('title', [{ $ref: null, value: 'Boss' }])).toHaveProperty('title', 'Boss')
  expect(await patch('title', ['a', 'b'])).toMatchObject(problem(400, 'invalidValue'))
  const boss = await scim.user('boss@corp.example', { displayName: 'The Boss' })
  const plain = await scim.user('plain@corp.example')
  expect((await patch('manager', boss, 'add'))[E]).toEqual({
    manager: { value: boss, $ref: `${BASE}/Users/${boss}`, displayName: 'The Boss' },
  })
  expect((await patch('manager', plain))[E]).toEqual({
    manager: { value: plain, $ref: `${BASE}/Users/${plain}` },
  })
  const cleared = await patch('manager', '')
  expect(cleared).not.toHaveProperty([E])
  expect(cleared['schemas']).toEqual([USER])
})

test('X12 D3 D4 DELETE deactivates, twice', async () => {
  expect((await scim.delete(at())).status).toBe(204)
  const read = await scim.get(at())
  expect(read.status).toBe(200)
  expect(read.body).toMatchObject({ userName: 'Mira.K@corp.example', active: false })
  expect((await scim.delete(at())).status).toBe(204)
  const again = await scim.post('/Users', { userName: 'MIRA.K@corp.example' })
  expect(again.status).toBe(409)
  expect(again.body).toMatchObject(problem(409, 'uniqueness'))
  expect(scim.events.filter((name) => name !== 'audit')).toEqual([
    'user.updated',
    'user.deactivated',
  ])
})

describe('X13 group members', () => {
  let group: string
  const ids: Record<string, string> = {}
  const named = (text: string): string =>
    text.replaceAll(/"(a|b|c|d)"/g, (_, name: string) => JSON.stringify(ids[name]))
  const operation = (value: object): object => JSON.parse(named(JSON.stringify(value)))

  beforeEach(async () => {
    for (const name of ['a', 'b', 'c', 'd']) {
      ids[name] = await scim.user(`${name}@corp.example`)
      await scim.runtime.advance(1)
    }
    group = await scim.group('Platform', [ids['a'] ?? '', ids['b'] ?? '', ids['c'] ?? ''])
    await scim.runtime.advance(1_000)
  })

  const cases: readonly [object, string][] = [
    [{ op: 'Remove', path: 'members', value: [{ value: 'b' }] }, 'ac'],
    [{ op: 'remove', path: 'members', value: 'b' }, 'ac'],
    [{ op: 'remove', path: 'members', value: [] }, 'abc'],
    [{ op: 'remove', path: 'members' }, ''],
    [{ op: 'remove', path: 'members[value eq "nobody"]' }, 'abc'],
    [{ op: 'replace', value: { id: 'x', displayName: 'Core' } }, 'abc'],
    [{ op: 'replace', value: { members: [], displayName: 'Core' } }, ''],
  ]
  test.each(cases)('%j: %s', async (value, after) => {
    const { status, body } = await scim.patch(`/Groups/${group}`, [operation(value)])
    expect(status).toBe(200)
    expect(list(body['members']).map((member) => Reflect.get(member, 'value'))).toEqual(
      Array.from(after, (name) => ids[name]),
    )
    const renamed = 'value' in value && !('path' in value)
    expect(body['displayName']).toBe(renamed ? 'Core' : 'Platform')
  })

  test('adding an existing member changes nothing', async () => {
    const before = await scim.get(`/Groups/${group}`)
    const { body } = await scim.patch(`/Groups/${group}`, [
      { op: 'add', path: 'members', value: [{ value: ids['a'], display: 'other' }] },
    ])
    expect(body).toEqual(before.body)
  })

  test('an unknown id is refused by name, and nothing is applied', async () => {
    const { status, body } = await scim.patch(`/Groups/${group}`, [
      { op: 'add', path: 'members', value: [{ value: ids['d'] }, { value: 'ghost' }] },
    ])
    expect(status).toBe(400)
    expect(body).toMatchObject(problem(400, 'invalidValue'))
    expect(body['detail']).toContain('ghost')
    expect(await scim.members(group)).toEqual([ids['a'], ids['b'], ids['c']])
  })

  test('the value of a member is immutable', async () => {
    const { body } = await scim.patch(`/Groups/${group}`, [
      { op: 'replace', path: `members[value eq "${ids['a']}"].value`, value: ids['d'] },
    ])
    expect(body).toMatchObject(problem(400, 'mutability'))
  })
})

describe('X14 paging and projection', () => {
  beforeEach(async () => {
    for (let n = 0; n < 6; n += 1)
      await scim.user(`u${n}@corp.example`, { name: { familyName: `F${n}`, givenName: 'G' } })
  })
  const cases: readonly [string, object][] = [
    ['startIndex=-2&count=3', { startIndex: 1, itemsPerPage: 3, totalResults: 7 }],
    ['startIndex=8', { itemsPerPage: 0, totalResults: 7, Resources: [] }],
    ['count=0', { Resources: [], totalResults: 7 }],
    ['count=9999', { itemsPerPage: 7 }],
    ['count=1.5', problem(400, 'invalidValue')],
    ['attributes=id&excludedAttributes=name', problem(400, 'invalidValue')],
  ]
  test.each(cases)('?%s', async (query, expected) => {
    expect((await scim.get(`/Users?${query}`)).body).toMatchObject(expected)
  })

  test('?attributes=NAME.FAMILYNAME', async () => {
    const { body } = await scim.get('/Users?attributes=NAME.FAMILYNAME')
    expect(list(body['Resources'])[1]).toEqual({
      schemas: [USER],
      id: expect.any(String),
      name: { familyName: 'F0' },
    })
  })

  test('?excludedAttributes=id,name', async () => {
    const { body } = await scim.get('/Users?excludedAttributes=id,name')
    for (const user of list(body['Resources'])) {
      expect(user).toHaveProperty('id')
      expect(user).toHaveProperty('userName')
      expect(user).not.toHaveProperty('name')
    }
  })
})

test.each([
  'active ge false',
  'shoe eq "4"',
  'title like "x"',
  'title eq',
  '(title pr',
  'not title pr',
  'name[givenName eq "a"',
  'meta.created lt "soon"',
  'userName eq 4',
  '',
])('X15 SC-41 refused: %s', async (filter) => {
  expect(await scim.names(filter)).toEqual([400, 'invalidFilter'])
})

test('X16 SC-63 bulk: a reference before its definition', async () => {
  const bulk = createScim({ bulk: true })
  const { status, body } = await bulk.post('/Bulk', {
    schemas: [`${MESSAGES}:BulkRequest`],
    Operations: [
      {
        method: 'POST',
        path: '/Groups',
        bulkId: 'g1',
        data: { displayName: 'New', members: [{ value: 'bulkId:u1' }] },
      },
      {
        method: 'POST',
        path: '/Users',
        bulkId: 'u1',
        data: { schemas: [USER], userName: 'new@corp.example' },
      },
    ],
  })
  expect(status).toBe(200)
  const [group, user] = list(body['Operations'])
  expect(group).toMatchObject({ method: 'POST', bulkId: 'g1', status: '201' })
  expect(user).toMatchObject({ method: 'POST', bulkId: 'u1', status: '201' })
  const groupId =
    String(Reflect.get(group ?? {}, 'location'))
      .split('/')
      .at(-1) ?? ''
  const userId = String(Reflect.get(user ?? {}, 'location'))
    .split('/')
    .at(-1)
  expect(await bulk.members(groupId)).toEqual([userId])
})

test('X17 SC-37 cursor', async () => {
  const cursors = createScim({ cursor: true })
  for (const name of ['a', 'b', 'c']) await cursors.user(`${name}@corp.example`)
  const first = await cursors.get('/Users?cursor&count=2')
  expect(list(first.body['Resources'])).toHaveLength(2)
  expect(first.body).not.toHaveProperty('startIndex')
  expect(first.body).not.toHaveProperty('previousCursor')
  const cursor = String(first.body['nextCursor'])
  const second = await cursors.get(`/Users?cursor=${cursor}&count=2`)
  expect(list(second.body['Resources'])).toHaveLength(1)
  expect(second.body).not.toHaveProperty('nextCursor')
  const other = await cursors.get(`/Users?cursor=${cursor}&count=2&filter=active%20pr`)
  expect(other.body).toMatchObject(problem(400, 'invalidCursor'))
})

test.each(['tombstone', 'remove'] as const)('X18 SC-28 %s', async (deleteUser) => {
  const mode = createScim({ deleteUser })
  const id = await mode.user('gone@corp.example')
  const group = await mode.group('Team', [id])
  const before = await mode.get(`/Groups/${group}`)
  await mode.runtime.advance(1_000)
  expect((await mode.delete(`/Users/${id}`)).status).toBe(204)
  expect((await mode.get(`/Users/${id}`)).status).toBe(404)
  expect((await mode.put(`/Users/${id}`, { userName: 'gone@corp.example' })).status).toBe(404)
  expect(
    (await mode.patch(`/Users/${id}`, [{ op: 'add', path: 'title', value: 'x' }])).status,
  ).toBe(404)
  expect((await mode.delete(`/Users/${id}`)).status).toBe(404)
  const after = await mode.get(`/Groups/${group}`)
  expect(after.body['members']).toEqual([])
  expect(Reflect.get(after.body['meta'] as object, 'lastModified')).not.toBe(
    Reflect.get(before.body['meta'] as object, 'lastModified'),
  )
  expect(await mode.user('gone@corp.example')).not.toBe(id)
})
