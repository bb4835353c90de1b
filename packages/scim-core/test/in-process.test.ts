import { expect, test } from 'vitest'
import type { ScimStore } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createScim, USER } from './support.ts'

test('SC-1 the same rules, errors and events as over HTTP', async () => {
  const scim = createScim()
  const { users, groups } = scim.service
  const ada = await users.create('default', { userName: 'ada@corp.example', title: 't' })
  expect((await scim.get(`/Users/${ada.id}`)).body).toEqual(ada)
  expect(await users.get('default', ada.id)).toEqual(ada)
  expect(await users.get('default', 'nobody')).toBeNull()
  expect(await users.get('other', ada.id)).toBeNull()
  await expect(users.create('default', { userName: 'ADA@corp.example' })).rejects.toMatchObject({
    code: 'uniqueness',
    status: 409,
    scimType: 'uniqueness',
  })
  await expect(users.create('default', { userName: 'x' })).rejects.toMatchObject({
    code: 'invalid_value',
  })
  await expect(users.patch('default', 'nobody', [])).rejects.toMatchObject({ status: 404 })
  const patched = await users.patch('default', ada.id, [
    { op: 'replace', path: 'active', value: false },
  ])
  expect(patched.active).toBe(false)
  const replaced = await users.replace('default', ada.id, { userName: 'ada@corp.example' })
  expect(replaced).not.toHaveProperty('title')
  const group = await groups.create('default', { displayName: 'g', members: [{ value: ada.id }] })
  expect(group.members).toMatchObject([{ value: ada.id }])
  const page = await users.list('default', {
    filter: 'userName sw "ADA"',
    sortBy: 'userName',
    sortOrder: 'descending',
    attributes: ['userName'],
  })
  expect(page).toMatchObject({
    totalResults: 1,
    startIndex: 1,
    itemsPerPage: 1,
    Resources: [{ userName: 'ada@corp.example' }],
  })
  await expect(users.list('default', { filter: 'shoe pr' })).rejects.toMatchObject({
    name: 'InvalidFilterError',
  })
  await groups.delete('default', group.id)
  await users.delete('default', ada.id)
  expect(scim.events.filter((name) => name !== 'audit')).toEqual([
    'user.created',
    'user.updated',
    'user.deactivated',
    'user.updated',
    'group.created',
    'group.members.changed',
    'group.deleted',
  ])
})

test('SC-1 lists and patches are refused as over HTTP', async () => {
  const scim = createScim({ quirks: 'none', pageSize: 1, maxPageSize: 2 })
  const { users } = scim.service
  const schemas = [USER]
  for (const name of ['a', 'b', 'c'])
    await users.create('default', { schemas, userName: `${name}@x.example` })
  for (const query of [
    { count: 1.5 },
    { startIndex: Number.NaN },
    { attributes: ['id'], excludedAttributes: ['name'] },
    { attributes: Array.from({ length: 65 }, (_, n) => `a${n}`) },
  ]) {
    await expect(users.list('default', query)).rejects.toMatchObject({ scimType: 'invalidValue' })
  }
  const counts = async (query: object): Promise<unknown> => {
    const { startIndex, itemsPerPage } = await users.list('default', query)
    return [startIndex, itemsPerPage]
  }
  expect(await counts({})).toEqual([1, 1])
  expect(await counts({ startIndex: -3, count: 9 })).toEqual([1, 2])
  expect(await counts({ startIndex: 3, count: 2 })).toEqual([3, 1])
  expect(await counts({ count: -1 })).toEqual([1, 0])
  const [first] = (await users.list('default')).Resources
  await expect(users.patch('default', first?.id ?? '', [])).rejects.toMatchObject({
    scimType: 'invalidSyntax',
  })
})

test('SC-1 the error carries what a callback threw as its cause', async () => {
  const failure = new Error('directory down')
  const scim = createScim({
    beforeWrite: () => {
      throw failure
    },
  })
  await expect(
    scim.service.users.create('default', { userName: 'a@x.example' }),
  ).rejects.toMatchObject({ code: 'internal', detail: 'Internal error', cause: failure })
  expect(scim.errors).toEqual([failure])
})

test('SU-2 onUserWrite runs inside the transaction; a throw rolls the write back', async () => {
  const { scimForbidden } = await import('@x/scim-core')
  const kinds: string[] = []
  let refuse = false
  const store = createMemoryScimStore({
    async onUserWrite({ kind, after }, tx) {
      if (refuse) throw scimForbidden('The last superuser.')
      if (after !== null && after.deletedAt === null)
        expect(await tx.users.get('default', after.id)).toEqual(after)
      kinds.push(kind)
    },
  })
  for (const deleteUser of ['tombstone', 'remove'] as const) {
    const scim = createScim({ store, deleteUser })
    const id = await scim.user('ada@corp.example')
    const patch = (path: string, value: unknown) =>
      scim.patch(`/Users/${id}`, [{ op: 'replace', path, value }])
    await patch('title', 'x')
    await patch('active', false)
    await patch('active', true)
    refuse = true
    expect((await patch('active', false)).status).toBe(403)
    refuse = false
    expect((await scim.get(`/Users/${id}`)).body['active']).toBe(true)
    await scim.delete(`/Users/${id}`)
  }
  const life = ['create', 'update', 'deactivate', 'reactivate']
  expect(kinds).toEqual([...life, 'tombstone', ...life, 'remove'])
})

test('SU-11 a store can link a new user to an existing account of the host', async () => {
  const store = createMemoryScimStore()
  const adopting = {
    ...store,
    transaction: <T>(tenant: string, work: (tx: ScimStore) => Promise<T>) =>
      store.transaction(tenant, (tx) =>
        work({ ...tx, users: { ...tx.users, adopt: async () => 'host-1' } }),
      ),
  }
  const scim = createScim({ store: adopting })
  expect(await scim.user('ada@corp.example')).toBe('host-1')
  expect((await scim.get('/Users/host-1')).status).toBe(200)
})

test(
  'SH-67 the removal of a user from very many groups has an event for each',
  { tags: ['long'] },
  async () => {
    const store = createMemoryScimStore()
    const scim = createScim({ store })
    const before = await store.users.get('default', await scim.user('ada@corp.example'))
    const groupsLeft = Array.from({ length: 150_000 }, (_, n) => `g${n}`)
    const emit = await scim.service.recordUserWrite({ before, after: null, groupsLeft }, store)
    scim.events.length = 0
    emit()
    expect(scim.events.filter((name) => name === 'group.members.changed')).toHaveLength(150_000)
  },
)
