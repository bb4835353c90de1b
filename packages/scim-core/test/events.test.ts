import { scimForbidden, ScimError, type ScimAuditEntry, type ScimChange } from '@x/scim-core'
import { describe, expect, test } from 'vitest'
import { createScim, problem, type Harness } from './support.ts'

const entries = (scim: Harness): ScimAuditEntry[] =>
  scim.payloads
    .filter(({ name }) => name === 'audit')
    .map(({ event }) => Reflect.get(event as object, 'entry') as ScimAuditEntry)
const payload = (scim: Harness, name: string): object =>
  scim.payloads.find((one) => one.name === name)?.event as object
const user = 'ada@corp.example'

describe('SC-71 the audit log', () => {
  test('one entry for every request, accepted or refused', async () => {
    const scim = createScim()
    const id = await scim.user(user)
    const group = await scim.group('g', [id])
    const requests: readonly [Promise<{ status: number }>, object][] = [
      [
        scim.get('/Users', { authorization: 'x' }),
        { op: 'list', resourceType: 'User', status: 401, actor: null, tenant: null },
      ],
      [
        scim.get(`/Users/${id}`),
        { op: 'read', resourceId: id, status: 200, actor: 'static', tenant: 'default' },
      ],
      [
        scim.post('/Users', { userName: user }),
        { op: 'create', resourceId: null, status: 409, scimType: 'uniqueness' },
      ],
      [scim.put('/Users/none', {}), { op: 'replace', resourceId: 'none', status: 404 }],
      [
        scim.delete(`/Groups/${group}`, { authorization: 'x' }),
        { op: 'delete', resourceType: 'Group', resourceId: group, status: 401 },
      ],
      [scim.post('/.search', {}), { op: 'search', resourceType: null, status: 400 }],
      [scim.get('/'), { op: 'search', status: 200 }],
      [scim.get('/Schemas'), { op: 'discover', status: 200 }],
      [scim.post('/Bulk', {}), { op: 'bulk', status: 501 }],
      [scim.get('/nothing'), { op: 'other', status: 404 }],
      [scim.send('PUT', '/Users'), { op: 'other', resourceType: 'User', status: 405 }],
    ]
    for (const [request] of requests) await request
    const logged = entries(scim).slice(2)
    expect(logged).toHaveLength(requests.length)
    for (const [, expected] of requests)
      expect(logged).toContainEqual(expect.objectContaining(expected))
  })

  test('entries have the operation, the times and the user behind /Me', async () => {
    const scim = createScim({ resolveMe: () => id, publicDiscovery: true })
    const id: string = await scim.user(user, { title: 't' })
    await scim.send('HEAD', `/Users/${id}`)
    await scim.send('HEAD', '/Users')
    await scim.post('/Users/.search', {})
    await scim.put('/Me', { userName: user })
    await scim.get('/Schemas', { authorization: '' })
    expect(entries(scim)).toMatchObject([
      { op: 'create', changed: ['active', 'userName', 'title'] },
      { op: 'read', resourceId: id },
      { op: 'list', resourceType: 'User', resourceId: null },
      { op: 'search', resourceType: 'User', status: 400, scimType: 'invalidSyntax' },
      { op: 'replace', resourceType: 'User', resourceId: id, changed: ['title'] },
      { op: 'discover', tenant: 'default', actor: null, status: 200 },
    ])
  })

  test('durationMs is the time between request and answer', async () => {
    const scim: Harness = createScim({ beforeWrite: () => scim.runtime.advance(25) })
    await scim.user(user)
    expect(entries(scim)).toMatchObject([{ at: '2030-01-01T00:00:00.000Z', durationMs: 25 }])
  })

  test('an entry names changed attributes without their values', async () => {
    const scim = createScim()
    const ids = [await scim.user(user), await scim.user('b@corp.example')]
    const group = await scim.group('g', [ids[0] ?? ''])
    await scim.patch(`/Groups/${group}`, [
      { op: 'replace', path: 'displayName', value: 'secret name' },
      { op: 'replace', path: 'members', value: [{ value: ids[1] }] },
    ])
    const entry = entries(scim).at(-1)
    expect(entry).toMatchObject({
      op: 'patch',
      resourceType: 'Group',
      resourceId: group,
      changed: ['displayName', 'members'],
      members: { added: 1, removed: 1 },
      events: ['group.updated', 'group.members.changed'],
      durationMs: 0,
      at: '2030-01-01T00:00:00.000Z',
    })
    expect(entries(scim)[0]).toMatchObject({
      op: 'create',
      resourceId: ids[0],
      events: ['user.created'],
    })
    expect(JSON.stringify(entries(scim))).not.toContain('secret name')
  })

  test('the audit option receives the same entries; its errors are reported', async () => {
    const seen: ScimAuditEntry[] = []
    const scim = createScim({
      audit: (entry) => {
        seen.push(entry)
        return Promise.reject(new Error('disk full'))
      },
    })
    expect((await scim.get('/Users')).status).toBe(200)
    await Promise.resolve()
    expect(seen).toEqual(entries(scim))
    expect(scim.errors).toHaveLength(1)
  })

  test('SC-72 no token, filter literal, value or userName; userNames only when asked for', async () => {
    const run = async (auditUserNames: boolean): Promise<string> => {
      const scim = createScim({ auditUserNames })
      const id = await scim.user(user, { title: 'hidden-title', password: 'hunter2' })
      await scim.get(`/Users?filter=${encodeURIComponent('userName eq "literal@corp.example"')}`)
      await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'title', value: 'other-title' }])
      await scim.get('/Users', { authorization: 'Bearer wrong-token' })
      return JSON.stringify(entries(scim))
    }
    const log = await run(false)
    for (const text of [
      'secret-token',
      'wrong-token',
      'literal',
      'title"x',
      'hidden-title',
      'other-title',
      'hunter2',
      user,
    ]) {
      expect(log).not.toContain(text)
    }
    expect(await run(true)).toContain(`"userName":"${user}"`)
  })

  test('the request id of the host is passed on', async () => {
    const scim = createScim()
    await scim.service.handle(new Request('https://host.example/api/v1/scim/v2/Users'), {
      requestId: 'r-1',
    })
    expect(entries(scim).at(-1)?.requestId).toBe('r-1')
  })
})

describe('SC-73 events', () => {
  test('the life cycle of a user', async () => {
    const scim = createScim({ deleteUser: 'remove' })
    const id = await scim.user(user)
    const group = await scim.group('g', [id])
    await scim.put(`/Users/${id}`, { userName: user, title: 't', active: false })
    await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: false }])
    await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'active', value: true }])
    await scim.delete(`/Users/${id}`)
    expect(scim.events).toEqual([
      'user.created',
      'audit',
      'group.created',
      'group.members.changed',
      'audit',
      'user.updated',
      'user.deactivated',
      'audit',
      'audit',
      'user.updated',
      'user.activated',
      'audit',
      'user.deactivated',
      'user.deleted',
      'group.members.changed',
      'audit',
    ])
    expect(payload(scim, 'user.created')).toMatchObject({
      at: '2030-01-01T00:00:00.000Z',
      tenant: 'default',
      actor: 'static',
      id,
      requestId: entries(scim)[0]?.requestId,
      after: { id, userName: user },
    })
    expect(payload(scim, 'user.updated')).toMatchObject({
      before: { active: true },
      after: { active: false, title: 't' },
      changed: expect.arrayContaining(['active', 'title']),
    })
    expect(payload(scim, 'user.deactivated')).toMatchObject({ reason: 'put', id })
    expect(payload(scim, 'user.activated')).toMatchObject({ reason: 'patch' })
    expect(payload(scim, 'user.deleted')).toMatchObject({ mode: 'remove' })
    expect(payload(scim, 'group.members.changed')).toMatchObject({
      id: group,
      added: [id],
      removed: [],
      addedCount: 1,
      removedCount: 0,
    })
  })

  test('a deactivating DELETE has its reason; unchanged resources emit no event', async () => {
    const scim = createScim()
    const id = await scim.user(user)
    const group = await scim.group('g')
    scim.events.length = 0
    await scim.delete(`/Users/${id}`)
    await scim.patch(`/Groups/${group}`, [{ op: 'add', path: 'members', value: id }])
    await scim.patch(`/Groups/${group}`, [{ op: 'add', path: 'externalId', value: 'x' }])
    expect(scim.events).toEqual([
      'user.updated',
      'user.deactivated',
      'audit',
      'group.members.changed',
      'audit',
      'group.updated',
      'audit',
    ])
    expect(payload(scim, 'user.deactivated')).toMatchObject({ reason: 'delete' })
    expect(payload(scim, 'group.updated')).toMatchObject({ changed: ['externalId'] })
  })

  test('SC-74 created inactive emits only user.created; payloads are frozen and without members', async () => {
    const scim = createScim()
    const id = await scim.user(user, { active: false, password: 'x' })
    expect(scim.events).toEqual(['user.created', 'audit'])
    const group = await scim.group('g', [id])
    await scim.patch(`/Groups/${group}`, [{ op: 'replace', path: 'displayName', value: 'h' }])
    const { before, after } = payload(scim, 'group.updated') as { before: object; after: object }
    expect(Object.isFrozen(after) && Object.isFrozen(Reflect.get(after, 'meta'))).toBe(true)
    const created = Reflect.get(payload(scim, 'group.created'), 'after') as object
    expect([created, before, after].some((one) => 'members' in one)).toBe(false)
    await scim.delete(`/Groups/${group}`)
    expect(scim.events.slice(-2)).toEqual(['group.deleted', 'audit'])
  })

  test('SC-73 documents of an event are copied when they are read, once', async () => {
    const scim = createScim()
    const id = await scim.user(user)
    await scim.patch(`/Users/${id}`, [{ op: 'replace', path: 'title', value: 't' }])
    const event = payload(scim, 'user.updated') as { readonly after: object }
    expect(event.after).toBe(event.after)
    expect({ ...event }).toMatchObject({ before: { id }, after: { title: 't' } })
    expect(JSON.parse(JSON.stringify(event))).toMatchObject({ changed: ['title'], after: { id } })
  })

  test('member lists are cut at 1000, counts are complete', { tags: ['long'] }, async () => {
    const scim = createScim()
    const ids: string[] = []
    for (let n = 0; n < 1_001; n += 1) ids.push(await scim.user(`u${n}@x.example`))
    const group = await scim.group('g', ids)
    const event = payload(scim, 'group.members.changed')
    expect(Reflect.get(event, 'added')).toHaveLength(1_000)
    expect(event).toMatchObject({ addedCount: 1_001 })
    scim.payloads.length = 0
    await scim.patch(`/Groups/${group}`, [{ op: 'remove', path: 'members' }])
    const removal = payload(scim, 'group.members.changed')
    expect(Reflect.get(removal, 'removed')).toHaveLength(1_000)
    expect(removal).toMatchObject({ removedCount: 1_001 })
  })

  test('a listener that throws affects no other; unsubscribing works', async () => {
    const scim = createScim()
    const seen: string[] = []
    const failure = new Error('listener')
    scim.service.events.on('user.created', () => {
      throw failure
    })
    const off = scim.service.events.on('user.created', ({ id }) => seen.push(id))
    const id = await scim.user(user)
    expect(seen).toEqual([id])
    expect(scim.errors).toEqual([failure])
    off()
    await scim.user('b@corp.example')
    expect(seen).toHaveLength(1)
    const late = new Error('later')
    const rejecting = (): unknown => Promise.reject(late)
    scim.errors.length = 0
    scim.service.events.on('group.created', rejecting)
    await scim.group('g')
    await new Promise(setImmediate)
    expect(scim.errors).toEqual([late])
    scim.service.events.off('group.created', rejecting)
    await scim.group('h')
    await new Promise(setImmediate)
    expect(scim.errors).toHaveLength(1)
  })
})

describe('SC-75 beforeWrite', () => {
  test('runs inside the transaction and can veto the change', async () => {
    const seen: ScimChange[] = []
    let veto: Error | null = null
    const scim = createScim({
      beforeWrite: (change) => {
        seen.push(change)
        if (veto !== null) throw veto
      },
    })
    const id = await scim.user(user)
    const group = await scim.group('g', [id])
    expect(seen).toMatchObject([
      {
        kind: 'create',
        resourceType: 'User',
        tenant: 'default',
        actor: 'static',
        before: null,
        after: { id },
        memberChange: null,
      },
      { kind: 'create', resourceType: 'Group', memberChange: { added: 1, removed: 0 } },
    ])
    seen.length = 0
    await scim.patch(`/Groups/${group}`, [
      { op: 'remove', path: 'members' },
      { op: 'add', path: 'externalId', value: 'e' },
    ])
    await scim.patch(`/Groups/${group}`, [{ op: 'remove', path: 'externalId' }])
    expect(seen).toMatchObject([
      { kind: 'update', memberChange: { added: 0, removed: 1 }, after: { externalId: 'e' } },
      { kind: 'update', memberChange: null, before: { externalId: 'e' } },
    ])
    const attempt = async (error: Error, path: string): Promise<unknown> => {
      veto = error
      scim.events.length = 0
      const answer = await scim.patch(path, [{ op: 'add', path: 'externalId', value: 'x' }])
      return [
        answer.status,
        answer.body['detail'],
        scim.events.filter((name) => name !== 'audit' && name !== 'error'),
      ]
    }
    for (const path of [`/Users/${id}`, `/Groups/${group}`]) {
      expect(await attempt(scimForbidden('Not this one.'), path)).toEqual([
        403,
        'Not this one.',
        [],
      ])
      expect(await attempt(new ScimError('uniqueness', 'Taken.'), path)).toEqual([
        409,
        'Taken.',
        [],
      ])
      expect(await attempt(new Error('boom'), path)).toEqual([500, 'Internal error', []])
      expect((await scim.delete(path)).status).toBe(500)
      veto = null
      expect((await scim.get(path)).body).not.toHaveProperty('externalId')
    }
    for (const deleteUser of ['tombstone', 'remove'] as const) {
      const gone: ScimChange[] = []
      const strict = createScim({
        deleteUser,
        beforeWrite: (change) => {
          gone.push(change)
          if (change.kind === 'delete') throw scimForbidden('Stays.')
        },
      })
      const path = `/Users/${await strict.user(user)}`
      expect((await strict.delete(path)).status).toBe(403)
      expect(gone.at(-1)).toMatchObject({ before: { userName: user }, after: null })
      expect((await strict.get(path)).body['active']).toBe(true)
      const own = `/Groups/${await strict.group('g')}`
      expect((await strict.delete(own)).status).toBe(403)
      expect((await strict.get(own)).status).toBe(200)
    }
    veto = scimForbidden('No.')
    expect((await scim.post('/Users', { userName: 'b@corp.example' })).body).toMatchObject(
      problem(403),
    )
    expect((await scim.get('/Users')).body['totalResults']).toBe(1)
  })
})
