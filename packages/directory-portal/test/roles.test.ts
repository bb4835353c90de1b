import type { RolesChange } from '@x/directory-portal'
import { describe, expect, test } from 'vitest'
import { createHarness } from './support.ts'

const ROLES = [
  { value: 'admin', name: 'Administrator', description: 'May change billing' },
  { value: 'reader' },
]

/** A host with roles and what it was told. */
function createHost() {
  const changes: RolesChange[] = []
  const refuse = { userId: '' }
  const harness = createHarness({
    roles: ROLES,
    onRolesChange(change) {
      if (change.userId === refuse.userId) throw new Error('The host refuses.')
      changes.push(change)
    },
  })
  const { users, groups } = harness.service
  const person = async (name: string, tenant = 'acme') =>
    (await users.create(tenant, { userName: `${name}@corp.example`, active: true })).id
  const group = async (displayName: string, members: readonly string[] = [], tenant = 'acme') => {
    const body = { displayName, members: members.map((value) => ({ value })) }
    return (await groups.create(tenant, body)).id
  }
  const move = (groupId: string, op: string, value: string) =>
    groups.patch('acme', groupId, [{ op, path: 'members', value: [{ value }] }])
  const told = () =>
    changes.splice(0).map(({ userId, before, after, cause }) => [userId, before, after, cause])
  const of = async (id: string, tenant = 'acme') => await harness.roles?.of(tenant, id)
  const applied = async () => {
    await harness.portal.maintain()
    expect(harness.errors).toEqual([])
  }
  return { ...harness, person, group, move, told, of, applied, refuse }
}

describe('roles', () => {
  test('DP-40 rules give the members of groups roles, shown before they are saved', async () => {
    const { open, person, group, of, told, applied } = createHost()
    const [ada, bob] = [await person('ada'), await person('bob')]
    const admins = await group('Admins', [ada])
    const { go } = await open()
    const before = await go('GET', '/roles')
    expect(before.body).toEqual({
      roles: [ROLES[0], { value: 'reader', name: 'reader', description: '' }],
      rules: [],
      default: null,
    })
    const wanted = { rules: [{ groupId: admins, role: 'admin' }], default: 'reader' }
    const tried = await go('PUT', '/roles', { ...wanted, dryRun: true })
    expect(tried.body.changes.total).toBe(2)
    expect(tried.body.changes.sample).toContainEqual({
      userId: ada,
      userName: 'ada@corp.example',
      before: [],
      after: ['admin'],
    })
    expect([(await go('GET', '/roles')).body, told()]).toEqual([before.body, []])
    const saved = await go('PUT', '/roles', wanted)
    expect(saved.body).toMatchObject({
      rules: [{ groupId: admins, displayName: 'Admins', role: 'admin' }],
      default: 'reader',
      applying: { done: 0, total: 2 },
      changes: { total: 2 },
    })
    await applied()
    expect([await of(ada), await of(bob)]).toEqual([['admin'], ['reader']])
    expect(told().map(([, , , cause]) => cause)).toEqual(['rules', 'rules'])
    expect((await go('GET', '/roles')).body.applying).toBeUndefined()
    const { users } = (await go('GET', '/users')).body
    const shown = users.map(({ roles }: { roles: string[] }) => roles.join())
    expect(new Set(shown)).toEqual(new Set(['admin', 'reader']))
    const { groups } = (await go('GET', '/groups')).body
    expect(groups).toMatchObject([{ id: admins, members: 1, role: 'admin' }])
    const { activity } = (await go('GET', '/activity')).body
    expect(activity[0].action).toBe('roles.replaced')
  })

  test('DP-40 rules name roles and groups that exist, of the own tenant', async () => {
    const { open, group, person } = createHost()
    const [own, foreign] = [await group('Staff'), await group('Staff', [], 'globex')]
    const { go } = await open()
    for (const body of [
      {},
      { rules: 'all' },
      { rules: [null] },
      { rules: [{ groupId: own }] },
      { rules: [{ groupId: own, role: 'root' }] },
      { rules: [{ groupId: foreign, role: 'admin' }] },
      { rules: [{ groupId: 'none', role: 'admin' }] },
      { rules: [], default: 'root' },
      { rules: [], dryRun: 'yes' },
      { rules: Array.from({ length: 501 }, () => ({ groupId: own, role: 'admin' })) },
    ])
      expect([body, (await go('PUT', '/roles', body)).body.error?.code]).toEqual([body, 'invalid'])
    const { go: look } = await open({ permission: 'view' })
    expect((await look('PUT', '/roles', { rules: [] })).status).toBe(403)
    await go('PUT', '/roles', { rules: [{ groupId: own, role: 'admin' }], default: 'reader' })
    const { go: other } = await open({ tenant: 'globex' })
    expect((await other('GET', '/roles')).body).toMatchObject({ rules: [], default: null })
    await person('eve', 'globex')
    expect((await other('GET', '/users')).body.users[0].roles).toEqual([])
    const { open: without } = createHarness()
    const none = await without()
    expect((await none.go('GET', '/roles')).status).toBe(404)
    expect((await none.go('GET', '/session')).body.features.roles).toBe(false)
  })

  test('DP-41 each change of roles is told once, in the transaction that makes it', async () => {
    const { open, person, group, move, told, of, applied, service, refuse } = createHost()
    const ada = await person('ada')
    const [admins, readers] = [await group('Admins'), await group('Readers', [ada])]
    const { go } = await open()
    const rules = [
      { groupId: admins, role: 'admin' },
      { groupId: readers, role: 'reader' },
    ]
    await go('PUT', '/roles', { rules })
    await applied()
    expect(told()).toEqual([[ada, [], ['reader'], 'rules']])
    await move(admins, 'add', ada)
    await move(admins, 'add', ada)
    expect(told()).toEqual([[ada, ['reader'], ['admin', 'reader'], 'members']])
    refuse.userId = ada
    await expect(move(admins, 'remove', ada)).rejects.toThrow()
    expect((await service.users.get('acme', ada))?.['groups']).toHaveLength(2)
    refuse.userId = ''
    const active = (value: boolean) =>
      service.users.patch('acme', ada, [{ op: 'replace', path: 'active', value }])
    await active(false)
    expect([told(), await of(ada)]).toEqual([[[ada, ['admin', 'reader'], [], 'user']], []])
    await active(true)
    expect(told()).toEqual([[ada, [], ['admin', 'reader'], 'user']])
    await service.groups.patch('acme', readers, [
      { op: 'replace', path: 'displayName', value: 'Everybody' },
    ])
    expect((await go('GET', '/roles')).body.rules[1].displayName).toBe('Everybody')
    await service.groups.delete('acme', readers)
    expect(told()).toEqual([[ada, ['admin', 'reader'], ['admin'], 'members']])
    expect((await go('GET', '/roles')).body.rules).toHaveLength(1)
    await service.users.delete('acme', ada)
    expect([told(), await of(ada)]).toEqual([[[ada, ['admin'], [], 'user']], []])
  })

  test(
    'DP-41 rules for many people are applied 1,000 at a time, also by the next process',
    { tags: ['long'] },
    async () => {
      const { open, group, person, move, of, store, portal, service, errors, refuse } = createHost()
      const people = await Promise.all(Array.from({ length: 1_500 }, (_, n) => person(`p${n}`)))
      const all = await group('All', people)
      const { go } = await open()
      // The host ends the job within its second thousand, as a process that ends would.
      const members = (await service.groups.get('acme', all))?.members ?? []
      refuse.userId = members[1_200]?.value ?? ''
      const rules = [{ groupId: all, role: 'admin' }]
      const { body } = await go('PUT', '/roles', { rules, dryRun: true })
      expect([body.changes.total, body.changes.sample.length]).toEqual([1_500, 20])
      await go('PUT', '/roles', { rules })
      await portal.maintain()
      expect(errors.length).toBeGreaterThan(0)
      expect((await go('GET', '/roles')).body.applying).toEqual({ done: 1_000, total: 1_500 })
      expect(await store.roles.applying(9)).toEqual(['acme'])
      refuse.userId = ''
      await move(all, 'remove', people[7] ?? '')
      await portal.maintain()
      expect((await go('GET', '/roles')).body.applying).toBeUndefined()
      const roles = await Promise.all(people.map((id) => of(id)))
      expect(roles.filter((own) => own?.[0] === 'admin')).toHaveLength(1_499)
    },
  )
})
