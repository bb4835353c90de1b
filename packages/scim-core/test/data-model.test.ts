import { describe, expect, test } from 'vitest'
import { BASE, createScim, ENTERPRISE as E, GROUP, list, problem, USER } from './support.ts'

const name = 'a@corp.example'

describe('SC-14 names in any case', () => {
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
    const patched = await scim.patch(`/Users/${body.id}`, [
      { op: 'add', path: `${E.toUpperCase()}:DIVISION`, value: '1' },
      { op: 'replace', path: 'NAME.givenname', value: 'y' },
    ])
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

describe('SC-15 unassigned', () => {
  test('null, absent and [] are one state; an empty string is a value', async () => {
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
    ['title', 5],
    ['title', true],
    ['title', { a: 'b' }],
    ['active', 'yes'],
    ['active', 1],
    ['active', 'truе'],
    ['name', 'Ada'],
    ['name', ['Ada']],
    ['name', { givenName: 5 }],
    ['emails', 'a@b.example'],
    ['emails', { value: 'a@b.example' }],
    ['emails', ['a@b.example']],
    ['emails', [null]],
    ['emails', [{ value: 5 }]],
    ['emails', [{ value: 'x', primary: 'maybe' }]],
    ['x509Certificates', [{ value: 'not base64!' }]],
    ['profileUrl', 'with space'],
    ['profileUrl', 5],
    [E, 'text'],
    [E, { department: 5 }],
    [E, { manager: 5 }],
    ['members', 'x'],
  ]
  test.each(wrong.slice(0, -1))('%s: %j is invalidValue', async (attribute, value) => {
    const scim = createScim()
    const id = await scim.user('b@corp.example')
    for (const answer of [
      await scim.post('/Users', { userName: name, [attribute]: value }),
      await scim.put(`/Users/${id}`, { userName: name, [attribute]: value }),
    ]) {
      expect(answer.body).toMatchObject(problem(400, 'invalidValue'))
    }
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
  test('two primaries are invalidValue', async () => {
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

  test('SC-20 an effective change moves lastModified, even when the clock stands still', async () => {
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

describe('SC-21 SC-22 references', () => {
  test('the display of a member: displayName, formatted, given and family, or none', async () => {
    const scim = createScim()
    const ids: string[] = []
    for (const more of [
      { displayName: 'D', name: { formatted: 'F' } },
      { name: { formatted: 'F', givenName: 'G' } },
      { name: { givenName: 'G', familyName: 'N' } },
      { name: { familyName: 'N' } },
      {},
    ]) {
      ids.push(await scim.user(`u${ids.length}@corp.example`, more))
    }
    const group = await scim.group('g', ids)
    const { body } = await scim.get(`/Groups/${group}`)
    expect(body['members']).toEqual(
      ['D', 'F', 'G N', 'N', undefined].map((display, n) => ({
        value: ids[n],
        $ref: `${BASE}/Users/${ids[n]}`,
        type: 'User',
        ...(display !== undefined && { display }),
      })),
    )
  })

  test('what is sent besides the value of a member is ignored', async () => {
    const scim = createScim()
    const id = await scim.user(name)
    const { body } = await scim.post('/Groups', {
      displayName: 'g',
      members: [{ value: id, $ref: null, display: 'Evil', type: 'Robot' }, { VALUE: id }],
    })
    expect(body['members']).toEqual([{ value: id, $ref: `${BASE}/Users/${id}`, type: 'User' }])
  })

  test('manager: $ref and displayName only when it is a user of the tenant', async () => {
    const scim = createScim()
    const boss = await scim.user('boss@corp.example', { displayName: 'B' })
    const id = await scim.user(name, {
      [E]: { manager: { value: boss, $ref: 'x', displayName: 'Evil' } },
    })
    const manager = async (): Promise<unknown> => (await scim.get(`/Users/${id}`)).body[E]
    expect(await manager()).toEqual({
      manager: { value: boss, $ref: `${BASE}/Users/${boss}`, displayName: 'B' },
    })
    expect(await scim.names('manager.displayName eq "b"')).toEqual([name])
    await scim.put(`/Users/${id}`, {
      userName: name,
      [E]: { manager: { value: 'elsewhere', displayName: 'Evil' } },
    })
    expect(await manager()).toEqual({ manager: { value: 'elsewhere' } })
  })

  test('groups of a user are computed', async () => {
    const scim = createScim()
    const id = await scim.user(name)
    const group = await scim.group('Team', [id])
    const { body } = await scim.get(`/Users/${id}`)
    expect(body['groups']).toEqual([
      { value: group, $ref: `${BASE}/Groups/${group}`, display: 'Team', type: 'direct' },
    ])
    expect((await scim.delete(`/Groups/${group}`)).status).toBe(204)
    expect((await scim.get(`/Users/${id}`)).body).not.toHaveProperty('groups')
    expect((await scim.get(`/Groups/${group}`)).status).toBe(404)
  })
})

describe('SC-23 schemas', () => {
  const refused = [[], 'x', [USER, USER], [5], [GROUP], ['urn:other']]
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
})

test('SC-24 SC-77 nothing but schema names can be set, and prototypes stay clean', async () => {
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

describe('SC-25 extensions of the host', () => {
  const urn = 'urn:example:params:scim:schemas:badge:2.0'
  const extension = {
    urn,
    name: 'Badge',
    description: 'Badges',
    resourceType: 'Group' as const,
    required: false,
    attributes: [
      { name: 'level', type: 'integer' as const, required: true },
      { name: 'tags', multiValued: true },
      { name: 'secret', returned: 'never' as const },
      { name: 'hint', returned: 'request' as const },
      { name: 'serial', mutability: 'immutable' as const },
    ],
  }

  test('in validation, schemas, filters, paths and discovery', async () => {
    const scim = createScim({ extensions: [extension] })
    const { body } = await scim.post('/Groups', {
      displayName: 'g',
      [urn]: { level: 3, tags: ['a', 'a', 'b'], secret: 's', hint: 'h', serial: '1' },
    })
    expect(body['schemas']).toEqual([GROUP, urn])
    expect(body[urn]).toEqual({ level: 3, tags: ['a', 'b'], serial: '1' })
    const path = `/Groups/${body.id}`
    expect((await scim.get(`${path}?attributes=${urn}:hint,${urn}:secret`)).body[urn]).toEqual({
      hint: 'h',
    })
    const filter = encodeURIComponent(`${urn}:tags eq "A" and ${urn}:level ge 3`)
    expect((await scim.get(`/Groups?filter=${filter}`)).body['totalResults']).toBe(1)
    const patched = await scim.patch(path, [
      { op: 'add', path: `${urn}:tags`, value: 'c' },
      { op: 'remove', path: `${urn}:tags[value eq "a"]` },
      { op: 'replace', value: { [`${urn}:level`]: 4 } },
    ])
    expect(patched.body[urn]).toEqual({ level: 4, tags: ['b', 'c'], serial: '1' })
    for (const operations of [
      [{ op: 'remove', path: `${urn}:level` }],
      [{ op: 'replace', path: `${urn}:serial`, value: '2' }],
    ]) {
      expect((await scim.patch(path, operations)).body).toMatchObject(problem(400, 'mutability'))
    }
    expect(
      (await scim.post('/Groups', { displayName: 'h', [urn]: { tags: ['x'] } })).body,
    ).toMatchObject(problem(400, 'invalidValue'))
    const types = list((await scim.get('/ResourceTypes')).body['Resources'])
    expect(types[1]).toHaveProperty('schemaExtensions', [{ schema: urn, required: false }])
    expect((await scim.get(`/Schemas/${urn}`)).body).toMatchObject({ id: urn, name: 'Badge' })
    for (const [serial, status] of [
      ['2', 400],
      ['1', 200],
    ] as const) {
      const put = await scim.put(path, { displayName: 'g', [urn]: { level: 4, serial } })
      expect(put.status).toBe(status)
    }
    const removed = await scim.patch(path, [{ op: 'remove', path: urn }])
    expect(removed.body['schemas']).toEqual([GROUP])
  })

  test.each([
    { urn: 'no urn' },
    { urn: E },
    { attributes: [{ name: '__proto__' }] },
    { attributes: [{ name: 'toString' }] },
    { attributes: [{ name: 'a b' }] },
    { attributes: [{ name: 'a' }, { name: 'A' }] },
    { attributes: [{ name: 'a', type: 'complex' as const }] },
  ])('refused at construction: %j', (wrong) => {
    expect(() => createScim({ extensions: [{ ...extension, ...wrong }] })).toThrow(
      expect.objectContaining({ option: 'extensions' }),
    )
  })

  test('D6 without the enterprise extension its data is unknown', async () => {
    const scim = createScim({ enterprise: false })
    const { body } = await scim.post('/Users', { userName: name, [E]: { department: 'd' } })
    expect(body['schemas']).toEqual([USER])
    expect(await scim.names('department pr')).toEqual([400, 'invalidFilter'])
  })
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
