import type { UserRecord } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { describe, expect, test } from 'vitest'
import { createScim, ENTERPRISE as E, problem, USER } from './support.ts'

const name = 'ada@corp.example'

describe('SC-26 POST', () => {
  test.each([
    {},
    { userName: '' },
    { userName: null },
    { userName: 5 },
    { userName: [name, name] },
  ])('required: %j is invalidValue', async (body) => {
    expect((await createScim().post('/Users', body)).body).toMatchObject(
      problem(400, 'invalidValue'),
    )
  })

  test.each([{}, { displayName: '' }, { displayName: null }, { displayName: {} }])(
    'a group needs displayName: %j',
    async (body) => {
      expect((await createScim().post('/Groups', body)).body).toMatchObject(
        problem(400, 'invalidValue'),
      )
    },
  )

  test('of simultaneous POSTs with the same folded userName one is 201', async () => {
    const scim = createScim()
    const answers = await Promise.all(
      ['Ada@corp.example', 'ADA@corp.example', 'ada@CORP.example', 'ａda@corp.example'].map(
        (userName) => scim.post('/Users', { userName }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201, 409, 409, 409,
    ])
  })

  test('a repeated POST never updates', async () => {
    const scim = createScim()
    const id = await scim.user(name, { title: 'a' })
    expect((await scim.post('/Users', { userName: name, title: 'b' })).body).toMatchObject(
      problem(409, 'uniqueness'),
    )
    expect((await scim.get(`/Users/${id}`)).body['title']).toBe('a')
  })
})

describe('D7 userName', () => {
  const bad = [
    'ada',
    'ada@',
    '@corp.example',
    'a b@corp.example',
    'a@b@corp.example',
    'a@corp',
    'a@.example',
    'a@corp..example',
    'a@-corp.example',
    `${'x'.repeat(65)}@corp.example`,
  ]
  test.each(bad)('%s is no e-mail address', async (userName) => {
    const scim = createScim()
    expect((await scim.post('/Users', { userName })).body).toMatchObject(
      problem(400, 'invalidValue'),
    )
    expect((await createScim({ userName: 'any' }).post('/Users', { userName })).status).toBe(201)
  })

  test.each(['a@localhost', 'ü@bücher.example', "o'neil+x@sub.corp.example"])(
    '%s is one',
    async (userName) => {
      expect((await createScim().post('/Users', { userName })).status).toBe(201)
    },
  )

  test('a rule of the host applies to POST, PUT and PATCH', async () => {
    const scim = createScim({ userName: (value) => value.startsWith('u') })
    const id = await scim.user('u1')
    for (const answer of [
      await scim.post('/Users', { userName: 'x1' }),
      await scim.put(`/Users/${id}`, { userName: 'x1' }),
      await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'userName', value: 'x1' }]),
    ]) {
      expect(answer.body).toMatchObject(problem(400, 'invalidValue'))
    }
  })
})

test('D7 a user with an older userName can still be changed', async () => {
  const store = createMemoryScimStore()
  const id = await createScim({ store, userName: 'any' }).user('plain')
  const scim = createScim({ store })
  for (const answer of [
    await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: false }]),
    await scim.put(`/Users/${id}`, { userName: 'plain', title: 't' }),
  ]) {
    expect(answer.status).toBe(200)
  }
  expect((await scim.put(`/Users/${id}`, { userName: 'other' })).status).toBe(400)
})

describe('D8 the primary e-mail and the userNames of others', () => {
  const emails = [{ value: 'BOB@corp.example', primary: true }]
  test('a conflict is 409 on POST, PUT and PATCH; other e-mails and the own userName do not conflict', async () => {
    const scim = createScim({ emailConflict: 'userName' })
    await scim.user('bob@corp.example', { emails })
    const id = await scim.user(name, { emails: [{ value: 'bob@corp.example' }] })
    for (const answer of [
      await scim.post('/Users', { userName: 'c@corp.example', emails }),
      await scim.put(`/Users/${id}`, { userName: name, emails }),
      await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'emails', value: emails }]),
    ]) {
      expect(answer.body).toMatchObject(problem(409, 'uniqueness'))
    }
  })

  test('a rename that keeps the old name as primary e-mail does not conflict with itself', async () => {
    const scim = createScim()
    const id = await scim.user(name)
    const { status } = await scim.put(`/Users/${id}`, {
      userName: 'new@corp.example',
      emails: [{ value: name, primary: true }],
    })
    expect(status).toBe(200)
  })

  test('a user whose e-mail became the userName of another can still be changed', async () => {
    const scim = createScim({ emailConflict: 'userName' })
    const id = await scim.user(name, { emails })
    await scim.user('bob@corp.example')
    const { status } = await scim.patch(`/Users/${id}`, [
      { op: 'replace', path: 'active', value: false },
    ])
    expect(status).toBe(200)
  })

  test('emailConflict: off', async () => {
    const scim = createScim({ emailConflict: 'off' })
    await scim.user('bob@corp.example')
    expect((await scim.post('/Users', { userName: name, emails })).status).toBe(201)
  })
})

describe('SC-27 PUT', () => {
  test('a body read by GET and sent back changes nothing', async () => {
    const scim = createScim()
    const boss = await scim.user('boss@corp.example')
    const id = await scim.user(name, {
      name: { givenName: 'A' },
      [E]: { manager: { value: boss } },
      emails: [{ value: name, primary: true }],
    })
    const group = await scim.group('g', [id, boss])
    for (const path of [`/Users/${id}`, `/Groups/${group}`]) {
      const read = await scim.get(path)
      scim.events.length = 0
      const { status, body } = await scim.put(path, read.body)
      expect(status).toBe(200)
      expect(body).toEqual(read.body)
      expect(scim.events).toEqual(['audit'])
    }
  })

  test('never creates; a differing id is ignored', async () => {
    const scim = createScim()
    expect((await scim.put('/Users/nobody', { userName: name })).status).toBe(404)
    expect((await scim.get('/Users')).body['totalResults']).toBe(0)
    const id = await scim.user(name)
    expect((await scim.put(`/Users/${id}`, { id: 'other', userName: name })).body.id).toBe(id)
  })

  test('a missing required attribute or a conflict changes nothing', async () => {
    const scim = createScim()
    await scim.user('bob@corp.example')
    const id = await scim.user(name, { title: 't' })
    expect((await scim.put(`/Users/${id}`, { title: 'x' })).body).toMatchObject(
      problem(400, 'invalidValue'),
    )
    expect(
      (await scim.put(`/Users/${id}`, { userName: 'BOB@corp.example', title: 'x' })).body,
    ).toMatchObject(problem(409, 'uniqueness'))
    expect((await scim.get(`/Users/${id}`)).body['title']).toBe('t')
  })

  test('D10 SC-26 active: null on PUT and POST counts as not given', async () => {
    const scim = createScim()
    const id = await scim.user(name, { active: null })
    expect((await scim.get(`/Users/${id}`)).body['active']).toBe(true)
    await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: false }])
    expect((await scim.put(`/Users/${id}`, { userName: name, active: null })).body['active']).toBe(
      false,
    )
  })

  test('D11 a group without members is emptied, or keeps them', async () => {
    for (const [putWithoutMembers, kept] of [
      ['clear', 0],
      ['keep', 1],
    ] as const) {
      const scim = createScim({ putWithoutMembers })
      const group = await scim.group('g', [await scim.user(name)])
      await scim.put(`/Groups/${group}`, { displayName: 'g' })
      expect(await scim.members(group)).toHaveLength(kept)
      await scim.put(`/Groups/${group}`, { displayName: 'g', members: [] })
      expect(await scim.members(group)).toEqual([])
    }
  })

  test('members are diffed: kept members keep their position', async () => {
    const scim = createScim()
    const [a, b, c] = [
      await scim.user('a@x.example'),
      await scim.user('b@x.example'),
      await scim.user('c@x.example'),
    ]
    const group = await scim.group('g', [c])
    await scim.runtime.advance(10)
    await scim.patch(`/Groups/${group}`, [{ op: 'add', path: 'members', value: [{ value: a }] }])
    await scim.runtime.advance(10)
    await scim.put(`/Groups/${group}`, {
      displayName: 'g',
      members: [{ value: a }, { value: b }, { value: c }],
    })
    expect(await scim.members(group)).toEqual([c, a, b])
  })
})

describe('SC-28 DELETE', () => {
  test('deactivate: everything else is kept, and the user can be changed and re-activated', async () => {
    const scim = createScim()
    const id = await scim.user(name, { title: 't' })
    const group = await scim.group('g', [id])
    await scim.delete(`/Users/${id}`)
    expect(await scim.members(group)).toEqual([id])
    expect((await scim.get('/Users')).body['totalResults']).toBe(1)
    expect((await scim.put(`/Users/${id}`, { userName: name, title: 'u' })).body).toMatchObject({
      title: 'u',
      active: false,
    })
    const { body } = await scim.patch(`/Users/${id}`, [
      { op: 'replace', path: 'active', value: true },
    ])
    expect(body['active']).toBe(true)
    expect(scim.events.filter((event) => event.startsWith('user.')).slice(1)).toEqual([
      'user.updated',
      'user.deactivated',
      'user.updated',
      'user.updated',
      'user.activated',
    ])
  })

  test('deleting a group deletes its memberships and no user', async () => {
    const scim = createScim()
    const id = await scim.user(name)
    const before = await scim.get(`/Users/${id}`)
    const group = await scim.group('g', [id])
    const { status, body } = await scim.delete(`/Groups/${group}`)
    expect([status, body]).toEqual([204, {}])
    expect((await scim.delete(`/Groups/${group}`)).status).toBe(404)
    expect((await scim.get(`/Users/${id}`)).body).toEqual(before.body)
    await scim.group('g')
  })
})

describe('SC-28 other modes of DELETE', () => {
  test('tombstone: the record of the host stays, deactivated', async () => {
    const kept: (UserRecord | null)[] = []
    const store = createMemoryScimStore({ onUserWrite: ({ after }) => void kept.push(after) })
    const scim = createScim({ store, deleteUser: 'tombstone' })
    const id = await scim.user(name)
    await scim.runtime.advance(5)
    await scim.delete(`/Users/${id}`)
    expect(kept.at(-1)).toMatchObject({
      id,
      userName: name,
      active: false,
      deletedAt: scim.runtime.now(),
    })
  })

  test.each(['tombstone', 'remove'] as const)('%s: events', async (deleteUser) => {
    const scim = createScim({ deleteUser })
    const active = await scim.user(name)
    const inactive = await scim.user('b@corp.example', { active: false })
    scim.events.length = 0
    await scim.delete(`/Users/${active}`)
    await scim.delete(`/Users/${inactive}`)
    expect(scim.events.filter((event) => event !== 'audit')).toEqual([
      'user.deactivated',
      'user.deleted',
      'user.deleted',
    ])
    expect(scim.payloads.find(({ name: event }) => event === 'user.deleted')?.event).toMatchObject({
      id: active,
      mode: deleteUser,
    })
    expect(
      scim.payloads.find(({ name: event }) => event === 'user.deactivated')?.event,
    ).toMatchObject({ id: active, reason: 'delete' })
  })

  test('deleting a group removes its memberships and changes the groups it was in', async () => {
    const store = createMemoryScimStore()
    const scim = createScim({ store, nestedGroups: true })
    const inner = await scim.group('inner', [await scim.user(name)])
    const outer = await scim.group('outer', [inner])
    await scim.runtime.advance(5)
    await scim.delete(`/Groups/${inner}`)
    expect(await store.members.count('default', inner)).toBe(0)
    expect(await store.members.count('default', outer)).toBe(0)
    const { body } = await scim.get(`/Groups/${outer}`)
    expect(body['meta']).toHaveProperty('lastModified', '2030-01-01T00:00:00.005Z')
    const [deleted, changed] = scim.payloads
      .filter(({ name: event }) => event !== 'audit')
      .slice(-2)
    expect(deleted).toMatchObject({ name: 'group.deleted', event: { id: inner } })
    expect(changed).toMatchObject({
      name: 'group.members.changed',
      event: { id: outer, removed: [inner] },
    })
  })
})

describe('D21 SC-28 active unassigned', () => {
  test.each([
    { op: 'remove', path: 'active' },
    { op: 'replace', path: 'active', value: null },
  ])('%j: gone from the resource, and counts as deactivated', async (operation) => {
    const scim = createScim()
    const id = await scim.user(name)
    const { body } = await scim.patch(`/Users/${id}`, [operation])
    expect(body).not.toHaveProperty('active')
    expect(scim.events).toContain('user.deactivated')
    expect(await scim.names('active eq true')).toEqual([])
    expect((await scim.delete(`/Users/${id}`)).status).toBe(204)
    expect((await scim.get(`/Users/${id}`)).body['active']).toBe(false)
    expect(scim.events.filter((event) => event === 'user.deactivated')).toHaveLength(1)
  })
})

describe('D13 D22 D23 groups', () => {
  test('D13 unknownMembers: skip leaves unknown ids out', async () => {
    const scim = createScim({ unknownMembers: 'skip' })
    const id = await scim.user(name)
    const { status, body } = await scim.post('/Groups', {
      displayName: 'g',
      members: [{ value: id }, { value: 'ghost' }],
    })
    expect(status).toBe(201)
    expect(await scim.members(body.id)).toEqual([id])
  })

  test('D13 reject: POST and PUT with an unknown id change nothing', async () => {
    const scim = createScim()
    const members = [{ value: 'ghost' }]
    expect((await scim.post('/Groups', { displayName: 'g', members })).body).toMatchObject(
      problem(400, 'invalidValue'),
    )
    expect((await scim.get('/Groups')).body['totalResults']).toBe(0)
    const group = await scim.group('g')
    expect((await scim.put(`/Groups/${group}`, { displayName: 'new', members })).status).toBe(400)
    expect((await scim.get(`/Groups/${group}`)).body['displayName']).toBe('g')
  })

  test('an unknown id that the same request removes again is accepted', async () => {
    const scim = createScim()
    const group = await scim.group('g')
    const { status } = await scim.patch(`/Groups/${group}`, [
      { op: 'add', path: 'members', value: [{ value: 'ghost' }] },
      { op: 'remove', path: 'members[value eq "ghost"]' },
    ])
    expect(status).toBe(200)
  })

  test('D22 groups are members only with nestedGroups', async () => {
    const scim = createScim()
    const inner = await scim.group('inner')
    const members = [{ value: inner }]
    expect((await scim.post('/Groups', { displayName: 'outer', members })).status).toBe(400)
    const nested = createScim({ nestedGroups: true })
    const child = await nested.group('inner')
    const parent = await nested.group('outer', [child])
    const { body } = await nested.get(`/Groups/${parent}`)
    expect(body['members']).toMatchObject([{ value: child, type: 'Group', display: 'inner' }])
    expect(
      (await nested.patch(`/Groups/${parent}`, [{ op: 'add', path: 'members', value: parent }]))
        .status,
    ).toBe(400)
    await nested.delete(`/Groups/${child}`)
    expect(await nested.members(parent)).toEqual([])
  })

  test('SF-21 no group contains itself, over any number of steps', async () => {
    const scim = createScim({ nestedGroups: true, unknownMembers: 'skip' })
    const lowest = await scim.group('lowest')
    const middle = await scim.group('middle', [lowest])
    const top = await scim.group('top', [middle, lowest])
    const detail = 'The group "lowest" would contain itself.'
    for (const id of [lowest, middle, top]) {
      const operations = [{ op: 'add', path: 'members', value: [{ value: id }] }]
      const added = await scim.patch(`/Groups/${lowest}`, operations)
      expect(added).toMatchObject({ status: 400, body: { scimType: 'invalidValue', detail } })
      const put = { displayName: 'renamed', members: [{ value: id }] }
      expect(await scim.put(`/Groups/${lowest}`, put)).toMatchObject({ status: 400 })
    }
    const { body } = await scim.get(`/Groups/${lowest}`)
    expect(body).toMatchObject({ displayName: 'lowest', members: [] })
  })

  test('SF-21 a circle stored earlier stops no request, and can be opened', async () => {
    const store = createMemoryScimStore()
    const scim = createScim({ store, nestedGroups: true })
    const [a, b, c] = [await scim.group('a'), await scim.group('b'), await scim.group('c')]
    for (const [group, member] of [
      [a, b],
      [b, a],
    ] as const) {
      await store.members.add('default', group, [member], new Date(0))
    }
    const change = (op: string, id: string) =>
      scim.patch(`/Groups/${a}`, [{ op, path: 'members', value: [{ value: id }] }])
    expect((await change('add', c)).status).toBe(200)
    expect((await change('remove', b)).status).toBe(200)
    expect((await change('add', b)).status).toBe(400)
  })

  test('D23 folded group names are unique unless configured otherwise', async () => {
    const scim = createScim()
    await scim.group('Team')
    const other = await scim.group('Other')
    expect((await scim.post('/Groups', { displayName: 'TEAM' })).body).toMatchObject(
      problem(409, 'uniqueness'),
    )
    const rename = [{ op: 'replace', path: 'displayName', value: 'team' }]
    expect((await scim.patch(`/Groups/${other}`, rename)).status).toBe(409)
    const free = createScim({ uniqueGroupNames: false })
    await free.group('Team')
    await free.group('Team')
  })
})

test('SC-29 a request that fails half way changes nothing and emits no domain event', async () => {
  const scim = createScim()
  const id = await scim.user(name)
  const group = await scim.group('g', [id])
  scim.events.length = 0
  const { status } = await scim.patch(`/Groups/${group}`, [
    { op: 'remove', path: 'members' },
    { op: 'replace', path: 'displayName', value: 'x' },
    { op: 'add', path: 'members', value: [{ value: 'ghost' }] },
  ])
  expect(status).toBe(400)
  expect(await scim.members(group)).toEqual([id])
  expect(scim.events.filter((event) => event !== 'audit')).toEqual([])
})

describe('SC-36 /Me', () => {
  test('serves the user that the host names, with its own location', async () => {
    let me: string | null = null
    const scim = createScim({ resolveMe: () => me })
    expect((await scim.get('/Me')).status).toBe(404)
    me = await scim.user(name)
    const direct = await scim.get(`/Users/${me}`)
    const { headers, body } = await scim.get('/Me')
    expect(body).toEqual(direct.body)
    expect(headers.get('location')).toBe(direct.headers.get('location'))
    expect(
      (await scim.patch('/Me', [{ op: 'add', path: 'title', value: 't' }])).body['title'],
    ).toBe('t')
    expect((await scim.put('/Me', { schemas: [USER], userName: name })).body).not.toHaveProperty(
      'title',
    )
    expect((await scim.delete('/Me')).status).toBe(204)
    expect((await scim.get('/Me')).body['active']).toBe(false)
    me = 'nobody'
    expect((await scim.get('/Me')).status).toBe(404)
  })
})
