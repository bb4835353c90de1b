import { describe, expect, test } from 'vitest'
import { BASE, createScim, ENTERPRISE as E, GROUP, list, problem, USER } from './support.ts'

const name = 'a@corp.example'

describe('SC-14 attribute names ignore case', () => {
  test('in bodies, filters, paths, projection and sortBy; output is canonical', async () => {
    const scim = createScim()
    const { body } = await scim.post('/Users', {
      SCHEMAS: [USER.toUpperCase()],
      uSERnAME: name,
      NAME: { GIVENNAME: 'x' },
      [E.toUpperCase()]: { DEPARTMENT: 'd' },
    })
    expect(body).toMatchObject({
      userName: name,
      name: { givenName: 'x' },
      [E]: { department: 'd' },
      schemas: [USER, E],
    })
    expect(
      await scim.names(`NAME.GIVENNAME eq "X" and ${E.toUpperCase()}:DEPARTMENT eq "D"`),
    ).toEqual([name])
    const patched = await scim.patch(`/Users/${body.id}`, {
      OPERATIONS: [
        { OP: 'add', PATH: `${E.toUpperCase()}:DIVISION`, VALUE: '1' },
        { op: 'replace', path: `${USER.toUpperCase()}:NAME.givenname`, value: 'y' },
      ],
    })
    expect(patched.body).toMatchObject({
      name: { givenName: 'y' },
      [E]: { department: 'd', division: '1' },
    })
    const { body: page } = await scim.get(
      '/Users?ATTRIBUTES=x&attributes=USERNAME&sortBy=USERNAME&sortOrder=DESCENDING',
    )
    expect(list(page['Resources'])).toEqual([{ schemas: [USER, E], id: body.id, userName: name }])
  })
})

describe('SC-15 unassigned attributes', () => {
  test('null, absent and [] mean unassigned; an empty string is a value', async () => {
    const { body } = await createScim().post('/Users', {
      userName: name,
      externalId: null,
      displayName: null,
      nickName: '',
      emails: [],
      phoneNumbers: null,
      addresses: [{}, { country: null }],
      name: { givenName: null },
      [E]: { department: null },
    })
    const { id: _id, meta: _meta, ...rest } = body
    expect(rest).toEqual({ schemas: [USER], userName: name, nickName: '', active: true })
  })

  test('[] for a singular attribute is a type error', async () => {
    const { body } = await createScim().post('/Users', { userName: name, title: [] })
    expect(body).toMatchObject(problem(400, 'invalidValue'))
  })

  test('D25 an empty group shows members: [], unless told to omit it or projected away', async () => {
    const { body } = await createScim().post('/Groups', { displayName: 'g' })
    expect(body['members']).toEqual([])
    const omitting = createScim({ emptyMembers: 'omit' })
    expect((await omitting.post('/Groups', { displayName: 'g' })).body).not.toHaveProperty(
      'members',
    )
    const scim = createScim()
    const id = await scim.group('g')
    expect((await scim.get(`/Groups/${id}?excludedAttributes=members`)).body).not.toHaveProperty(
      'members',
    )
    expect((await scim.get(`/Groups/${id}?attributes=members`)).body).toHaveProperty('members', [])
  })
})

describe('SC-16 types', () => {
  const wrong: readonly [string, unknown][] = [
    ['title', true],
    ['title', { a: 'b' }],
    ['active', 'yes'],
    ['active', 1],
    ['active', 'no'],
    ['active', 'off'],
    ['active', ''],
    ['active', 'truе'],
    ['name', 'Ada'],
    ['name', ['Ada']],
    ['name', { givenName: true }],
    ['emails', 'a@b.example'],
    ['emails', { value: 'a@b.example' }],
    ['emails', [true]],
    ['emails', [{ value: true }]],
    ['emails', [{ value: 'x', primary: 'maybe' }]],
    ['x509Certificates', [{ value: 'not base64!' }]],
    ['profileUrl', 'with space'],
    [E, 'text'],
    [E, { department: true }],
    [E, { manager: true }],
  ]
  test.each(wrong)('%s: %j is invalidValue', async (attribute, value) => {
    const scim = createScim()
    const id = await scim.user('b@corp.example')
    for (const answer of [
      await scim.post('/Users', { userName: name, [attribute]: value }),
      await scim.put(`/Users/${id}`, { userName: name, [attribute]: value }),
    ]) {
      expect(answer.body).toMatchObject(problem(400, 'invalidValue'))
    }
  })

  test.each(['x', { value: 'x' }, 5, true, [[5]], [[{ id: 'x' }]], [[{ value: '' }]], [[null]]])(
    'members: %j is invalidValue',
    async (members) => {
      const scim = createScim()
      const group = await scim.group('g')
      for (const answer of [
        await scim.post('/Groups', { displayName: 'h', members }),
        await scim.put(`/Groups/${group}`, { displayName: 'g', members }),
      ]) {
        expect(answer.body).toMatchObject(problem(400, 'invalidValue'))
      }
    },
  )

  test('members in POST and PUT must be an array, even for one member', async () => {
    const scim = createScim()
    const id = await scim.user(name)
    const group = await scim.group('g', [id])
    for (const members of [id, { value: id }]) {
      for (const answer of [
        await scim.post('/Groups', { displayName: 'h', members }),
        await scim.put(`/Groups/${group}`, { displayName: 'g', members }),
      ]) {
        expect(answer.body).toMatchObject(problem(400, 'invalidValue'))
      }
    }
    expect((await scim.post('/Groups', { displayName: 'h', members: [id] })).status).toBe(201)
  })

  test('canonical values are suggestions; base64 padding is optional', async () => {
    const { body } = await createScim().post('/Users', {
      userName: name,
      emails: [{ value: 'x', type: 'ship' }],
      x509Certificates: [{ value: 'TUlJ' }, { value: 'TUk' }, { value: 'TUk=' }],
    })
    expect(body['emails']).toEqual([{ value: 'x', type: 'ship' }])
    expect(list(body['x509Certificates'])).toHaveLength(3)
  })

  test('dateTime, integer, decimal and reference of an extension', async () => {
    const urn = 'urn:example:ext'
    const scim = createScim({
      extensions: [
        {
          urn,
          name: 'Ext',
          description: '',
          resourceType: 'User',
          required: false,
          attributes: [
            { name: 'when', type: 'dateTime' },
            { name: 'count', type: 'integer' },
            { name: 'share', type: 'decimal' },
          ],
        },
      ],
    })
    const post = async (values: object): Promise<unknown> =>
      (
        await scim.post('/Users', {
          userName: `${JSON.stringify(values).length}@x.example`,
          [urn]: values,
        })
      ).status
    expect(await post({ when: '2031-05-01T09:00:00+02:00', count: 3, share: 0.5 })).toBe(201)
    for (const values of [
      { when: '2031-05-01' },
      { when: '2031-05-01T09:00:00' },
      { when: '2031-13-01T09:00:00Z' },
      { when: '2031-02-29T09:00:00Z' },
      { when: '2031-04-31T09:00:00Z' },
      { when: '2031-05-01T24:01:00Z' },
      { when: '2031-05-01T09:60:00Z' },
      { when: '2031-05-01T09:00:00+14:01' },
      { when: '2031-05-01T09:00:00+01:60' },
      { when: '2031-05-01 09:00:00Z' },
      { count: 1.5 },
      { count: '1' },
      { share: '0.5' },
    ]) {
      expect(await post(values)).toBe(400)
    }
    const body = `{"userName":"x@x.example","${urn}":{"share":1e999}}`
    expect((await scim.send('POST', '/Users', { body })).status).toBe(400)
  })
})

describe('SC-17 lists', () => {
  test('two primary elements are invalidValue', async () => {
    const emails = [
      { value: 'a', primary: true },
      { value: 'b', primary: 'true' },
    ]
    const { body } = await createScim().post('/Users', { userName: name, emails })
    expect(body).toMatchObject(problem(400, 'invalidValue'))
  })

  test('order is kept, equal elements are dropped, primary:false is returned as sent', async () => {
    const { body } = await createScim().post('/Users', {
      userName: name,
      emails: [
        { value: 'z', primary: false },
        { value: 'a' },
        { primary: false, value: 'z' },
        { value: 'z' },
      ],
    })
    expect(body['emails']).toEqual([{ value: 'z', primary: false }, { value: 'a' }, { value: 'z' }])
  })
})

test('SC-18 values are kept as sent; control characters and unpaired surrogates are refused', async () => {
  const scim = createScim()
  const { body } = await scim.post('/Users', {
    userName: name,
    phoneNumbers: [{ value: '(0)30 / 123-45' }],
    locale: 'nonsense',
    displayName: 'Zoë\t🚀\r\n',
    name: { givenName: 'Z' },
  })
  expect(body).toMatchObject({
    phoneNumbers: [{ value: '(0)30 / 123-45' }],
    locale: 'nonsense',
    displayName: 'Zoë\t🚀\r\n',
  })
  expect(body['name']).toEqual({ givenName: 'Z' })
  for (const title of ['a\u0000b', 'a\u0007b', 'a\u007fb', 'a\ud800b', '\udc00']) {
    const answer = await scim.post('/Users', { userName: 'b@corp.example', title })
    expect(answer.body).toMatchObject(problem(400, 'invalidValue'))
  }
})

describe('SC-19 unknown attributes', () => {
  const extra = {
    userName: name,
    shoeSize: 44,
    name: { nick: 'x' },
    'urn:vendor:x:1.0:Y': { a: 1 },
  }
  test('ignored by default', async () => {
    const { status, body } = await createScim().post('/Users', extra)
    expect(status).toBe(201)
    expect(JSON.stringify(body)).not.toMatch(/shoeSize|nick|vendor/)
  })
  test('unknownAttributes: reject', async () => {
    const scim = createScim({ unknownAttributes: 'reject' })
    for (const key of ['shoeSize', 'name', 'urn:vendor:x:1.0:Y'] as const) {
      const answer = await scim.post('/Users', { userName: name, [key]: extra[key] })
      expect(answer.body).toMatchObject(problem(400, 'invalidSyntax'))
    }
    expect((await scim.post('/Users', { userName: name })).status).toBe(201)
  })
  test('unknownAttributes: reject, inside an extension and in PATCH without path', async () => {
    const scim = createScim({ unknownAttributes: 'reject' })
    const post = await scim.post('/Users', { userName: name, [E]: { shoeSize: 44 } })
    expect(post.body).toMatchObject(problem(400, 'invalidSyntax'))
    const id = await scim.user(name)
    for (const value of [{ shoeSize: 44 }, { 'name.nick': 'x' }, { [E]: { shoeSize: 44 } }]) {
      const answer = await scim.patch(`/Users/${id}`, [{ op: 'add', value }])
      expect(answer.body).toMatchObject(problem(400, 'invalidSyntax'))
    }
    const extension = { schemas: [E], department: 'd' }
    const put = await scim.put(`/Users/${id}`, { userName: name, [E]: extension })
    expect(put.body[E]).toEqual({ department: 'd' })
    const patched = await scim.patch(`/Users/${id}`, [{ op: 'add', value: { [E]: extension } }])
    expect(patched.status).toBe(200)
  })
})

describe('common attributes', () => {
  test('id and meta are assigned; values sent are ignored; times in UTC with milliseconds', async () => {
    const { body } = await createScim().post('/Users', {
      userName: name,
      id: 'mine',
      meta: { created: 'x', resourceType: 'Robot' },
    })
    expect(body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(body['meta']).toEqual({
      resourceType: 'User',
      created: '2030-01-01T00:00:00.000Z',
      lastModified: '2030-01-01T00:00:00.000Z',
      location: `${BASE}/Users/${body.id}`,
    })
  })

  test('externalId is exact, may be shared, and can be patched on both types', async () => {
    const scim = createScim()
    const a = await scim.user('a@corp.example', { externalId: 'X' })
    await scim.user('b@corp.example', { externalId: 'X' })
    expect(await scim.names('externalId eq "X"')).toHaveLength(2)
    expect(await scim.names('externalId eq "x"')).toEqual([])
    const group = await scim.group('g')
    for (const path of [`/Users/${a}`, `/Groups/${group}`]) {
      const { body } = await scim.patch(path, [{ op: 'replace', path: 'externalId', value: 'Y' }])
      expect(body['externalId']).toBe('Y')
      const removed = await scim.patch(path, [{ op: 'remove', path: 'externalId' }])
      expect(removed.body).not.toHaveProperty('externalId')
    }
  })

  test('SC-20 an effective change advances lastModified, even when the clock stands still', async () => {
    const scim = createScim()
    const id = await scim.user(name)
    const modified = async (title: string): Promise<unknown> =>
      Reflect.get(
        (await scim.patch(`/Users/${id}`, [{ op: 'add', path: 'title', value: title }])).body[
          'meta'
        ] as object,
        'lastModified',
      )
    expect(await modified('a')).toBe('2030-01-01T00:00:00.001Z')
    expect(await modified('b')).toBe('2030-01-01T00:00:00.002Z')
    await scim.runtime.advance(5_000)
    expect(await modified('b')).toBe('2030-01-01T00:00:00.002Z')
    expect(await modified('c')).toBe('2030-01-01T00:00:05.000Z')
    const put = await scim.put(`/Users/${id}`, { userName: name, title: 'c' })
    expect(put.body['meta']).toHaveProperty('lastModified', '2030-01-01T00:00:05.000Z')
  })
})

test('SC-20 only an effective change of a group moves lastModified', async () => {
  const scim = createScim()
  const id = await scim.user(name)
  const group = `/Groups/${await scim.group('g', [id])}`
  const modified = async (): Promise<unknown> =>
    Reflect.get((await scim.get(group)).body['meta'] as object, 'lastModified')
  await scim.runtime.advance(1_000)
  await scim.put(group, { displayName: 'g', members: [{ value: id }] })
  await scim.patch(group, [{ op: 'add', path: 'members', value: [{ value: id }] }])
  await scim.patch(group, [{ op: 'replace', path: 'displayName', value: 'g' }])
  expect(await modified()).toBe('2030-01-01T00:00:00.000Z')
  await scim.patch(group, [{ op: 'remove', path: 'members' }])
  expect(await modified()).toBe('2030-01-01T00:00:01.000Z')
  await scim.patch(group, [{ op: 'add', path: 'members', value: id }])
  expect(await modified()).toBe('2030-01-01T00:00:01.001Z')
  await scim.patch(group, [{ op: 'replace', path: 'displayName', value: 'h' }])
  expect(await modified()).toBe('2030-01-01T00:00:01.002Z')
})

describe('SC-23 schemas', () => {
  const refused = [
    'x',
    [USER, USER],
    [USER, USER.toUpperCase()],
    [5],
    [USER, 5],
    [GROUP],
    ['urn:other'],
    ['urn:scim:schemas:core:1.0', 'urn:other'],
  ]
  test.each(refused.map((schemas) => ({ schemas })))('$schemas is refused', async ({ schemas }) => {
    const { body } = await createScim().post('/Users', { schemas, userName: name })
    expect(body).toMatchObject(problem(400, 'invalidSyntax'))
  })

  test('extra URNs are tolerated and not stored; extension data needs no URN', async () => {
    const { body } = await createScim().post('/Users', {
      schemas: ['urn:vendor:x', USER, E],
      userName: name,
    })
    expect(body['schemas']).toEqual([USER])
    const data = await createScim().post('/Users', {
      schemas: [USER],
      userName: name,
      [E]: { department: 'd', schemas: [E] },
    })
    expect(data.body['schemas']).toEqual([USER, E])
    expect(data.body[E]).toEqual({ department: 'd' })
  })

  test.each([
    [['urn:scim:schemas:core:1.0']],
    [['urn:scim:schemas:extension:enterprise:1.0']],
    [['URN:SCIM:SCHEMAS:CORE:1.0', 'urn:scim:schemas:extension:enterprise:1.0']],
  ])('%j counts as the base URN', async (schemas) => {
    const { status, body } = await createScim().post('/Users', { schemas, userName: name })
    expect([status, body['schemas']]).toEqual([201, [USER]])
  })
})

test('SC-24 SC-77 only attributes of the schema can be set, and prototypes stay clean', async () => {
  const scim = createScim()
  const text = `{"userName":"${name}","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}},"toString":"x","name":{"__proto__":{"admin":true},"givenName":"g"},"${E}":{"__proto__":{"admin":true}},"groups":[{"value":"x"}],"id":"x"}`
  const { status, body } = await scim.send('POST', '/Users', { body: text })
  expect(status).toBe(201)
  expect(Object.keys(body).toSorted()).toEqual([
    'active',
    'id',
    'meta',
    'name',
    'schemas',
    'userName',
  ])
  const patch = `{"Operations":[{"op":"add","value":{"__proto__":{"admin":true},"constructor.prototype.admin":true}},{"op":"add","path":"name","value":{"__proto__":{"admin":1}}}]}`
  await scim.send('PATCH', `/Users/${body.id}`, { body: patch })
  const paths = ['__proto__.admin', 'constructor.prototype', 'name.__proto__', 'toString']
  for (const path of paths) {
    const answer = await scim.patch(`/Users/${body.id}`, [{ op: 'add', path, value: 'x' }])
    expect(answer.body).toMatchObject(problem(400, 'invalidPath'))
  }
  expect(await scim.names('__proto__ pr')).toEqual([400, 'invalidFilter'])
  expect(await scim.names('constructor eq "x"')).toEqual([400, 'invalidFilter'])
  expect(Reflect.get({}, 'admin')).toBeUndefined()
})

test('password is accepted and discarded everywhere', async () => {
  const scim = createScim()
  const { body } = await scim.post('/Users', { userName: name, password: 'hunter2' })
  await scim.patch(`/Users/${body.id}`, [{ op: 'replace', path: 'password', value: 'hunter2' }])
  await scim.patch(`/Users/${body.id}`, [
    { op: 'replace', value: { password: 'hunter2', title: 'x' } },
  ])
  await scim.put(`/Users/${body.id}`, { userName: name, password: 'hunter2' })
  const answers = [
    await scim.get(`/Users/${body.id}?attributes=password`),
    await scim.get('/Users?sortBy=password'),
  ]
  expect(answers[1]?.body).toMatchObject(problem(400, 'invalidValue'))
  expect(await scim.names('password pr')).toEqual([400, 'invalidFilter'])
  expect(JSON.stringify([body, answers.map((answer) => answer.body), scim.payloads])).not.toContain(
    'hunter2',
  )
})
