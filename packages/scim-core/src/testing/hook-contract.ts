import assert from 'node:assert/strict'
import { TENANT, type TestFunctions } from '../contract/fixture.ts'
import type { ScimService } from '../service/service.ts'
import { createHookSetup, type HookRows, type StoreHookSubject, type Told } from './hook-setup.ts'

/**
 * Defines the tests of the hooks of a store: each runs inside the transaction, in order, and a query on its handle
 * finds what it is told about and everything written before it. Assertions use `node:assert/strict`.
 */
export function defineStoreHookContract<Handle>(
  t: TestFunctions,
  { name, create }: StoreHookSubject<Handle>,
): void {
  const { setUp, close } = createHookSetup(create)
  const test = (title: string, run: () => Promise<void>): unknown => t.it(title, run)

  t.describe(`the contract of store hooks: ${name}`, () => {
    t.beforeEach(() => undefined)
    t.afterEach(close)

    test('create of a user', async () => {
      const { service, told, committed } = await setUp()
      const { id } = await service.users.create(TENANT, { userName: 'ada' })
      const rows = { users: [{ id, active: true }], groups: [], members: [] }
      assert.deepEqual(told(), [{ hook: 'user create', rows }])
      assert.deepEqual(committed(), [{ hook: 'commit User', rows }])
    })

    for (const [kind, operation, active] of [
      ['update', { op: 'add', path: 'title', value: 'T' }, true],
      ['deactivate', { op: 'replace', path: 'active', value: false }, false],
    ] as const) {
      test(`${kind} of a user by PATCH`, async () => {
        const { service, told, people } = await setUp()
        const [id = ''] = await people(1)
        await service.users.patch(TENANT, id, [operation])
        const rows = { users: [{ id, active }], groups: [], members: [] }
        assert.deepEqual(told(), [{ hook: `user ${kind}`, rows }])
      })
    }

    test('reactivate of a user by PUT', async () => {
      const { service, told, people } = await setUp()
      const [id = ''] = await people(1)
      await service.users.replace(TENANT, id, { userName: 'person 0', active: false })
      assert.deepEqual(hooksOf(told()), ['user deactivate'])
      await service.users.replace(TENANT, id, { userName: 'renamed', active: true })
      const [first] = told()
      assert.equal(first?.hook, 'user reactivate')
      assert.deepEqual(first.rows.users, [{ id, active: true }])
    })

    test('DELETE that deactivates', async () => {
      const { service, told, people } = await setUp({ deleteUser: 'deactivate' })
      const [id = ''] = await people(1)
      await service.users.delete(TENANT, id)
      const [first] = told()
      assert.equal(first?.hook, 'user deactivate')
      assert.deepEqual(first.rows.users, [{ id, active: false }])
    })

    for (const [deleteUser, kind] of [
      ['tombstone', 'user tombstone'],
      ['remove', 'user remove'],
    ] as const) {
      test(`DELETE with ${deleteUser}: each group is left first`, async () => {
        const made = await setUp()
        if (deleteUser === 'tombstone' && made.store.keepsDeleted === false) return
        await close()
        const { service, told, people } = await setUp({ deleteUser })
        const [id = '', other = ''] = await people(2)
        await service.groups.create(TENANT, {
          displayName: 'g',
          members: [{ value: id }, { value: other }],
        })
        told()
        await service.users.delete(TENANT, id)
        const [left, gone] = told()
        assert.deepEqual([left?.hook, gone?.hook], ['members of g: +0 -1', kind])
        for (const one of [left, gone]) assert.deepEqual(memberIds(one?.rows), [other])
        assert.deepEqual(gone?.rows.users, [{ id: other, active: true }])
      })
    }

    test('create of a group, then its members', async () => {
      const { service, told, committed, people } = await setUp()
      const ids = await people(2)
      const members = ids.map((value) => ({ value }))
      const { id } = await service.groups.create(TENANT, { displayName: 'g', members })
      const seen = told()
      assert.deepEqual(hooksOf(seen), ['group create', 'members of g: +2 -0'])
      for (const { rows } of seen) assert.deepEqual(rows.groups, [{ id, displayName: 'g' }])
      for (const { rows } of [...seen.slice(1), ...committed().slice(-1)])
        assert.deepEqual(memberIds(rows), ids.toSorted())
    })

    test('a rename alone', async () => {
      const { service, told } = await setUp()
      const { id } = await service.groups.create(TENANT, { displayName: 'g' })
      told()
      await service.groups.patch(TENANT, id, [{ op: 'replace', path: 'displayName', value: 'h' }])
      const seen = told()
      assert.deepEqual(hooksOf(seen), ['group update'])
      for (const { rows } of seen) assert.deepEqual(rows.groups, [{ id, displayName: 'h' }])
    })

    test('a rename with members in one request: the members first', async () => {
      const { service, told, people } = await setUp()
      const [a = '', b = ''] = await people(2)
      const group = { displayName: 'g', members: [{ value: a }] }
      const { id } = await service.groups.create(TENANT, group)
      told()
      await service.groups.patch(TENANT, id, [
        { op: 'replace', path: 'displayName', value: 'h' },
        { op: 'add', path: 'members', value: [{ value: b }] },
        { op: 'remove', path: `members[value eq "${a}"]` },
      ])
      const seen = told()
      assert.deepEqual(hooksOf(seen), ['members of g: +1 -1', 'group update'])
      for (const { rows } of seen) assert.deepEqual(memberIds(rows), [b])
      for (const { rows } of seen.slice(1))
        assert.deepEqual(rows.groups, [{ id, displayName: 'h' }])
    })

    test('members alone are no update', async () => {
      const { service, told, people } = await setUp()
      const [a = '', b = ''] = await people(2)
      const { id } = await service.groups.create(TENANT, { displayName: 'g' })
      told()
      for (const value of [a, b])
        await service.groups.patch(TENANT, id, [{ op: 'add', path: 'members', value: [{ value }] }])
      const seen = told()
      assert.deepEqual(hooksOf(seen), ['members of g: +1 -0', 'members of g: +1 -0'])
      assert.deepEqual(memberIds(seen.at(-1)?.rows), [a, b].toSorted())
    })

    test('members who are there already are not told', async () => {
      const { service, told, people } = await setUp()
      const [value = ''] = await people(1)
      const group = { displayName: 'g', members: [{ value }] }
      const { id } = await service.groups.create(TENANT, group)
      told()
      await service.groups.patch(TENANT, id, [{ op: 'add', path: 'members', value: [{ value }] }])
      assert.deepEqual(hooksOf(told()), [])
    })

    test('PUT of a group', async () => {
      const { service, told, people } = await setUp()
      const [a = '', b = ''] = await people(2)
      const group = { displayName: 'g', members: [{ value: a }] }
      const { id } = await service.groups.create(TENANT, group)
      told()
      await service.groups.replace(TENANT, id, { displayName: 'h', members: [{ value: b }] })
      const seen = told()
      const hooks = ['members of g: +1 -1', 'group update']
      assert.deepEqual(hooksOf(seen), hooks)
      assert.deepEqual(memberIds(seen[0]?.rows), [b])
    })

    test('removal of a group: its members first', async () => {
      const { service, told, people } = await setUp()
      const ids = await people(2)
      const members = ids.map((value) => ({ value }))
      const { id } = await service.groups.create(TENANT, { displayName: 'g', members })
      told()
      await service.groups.delete(TENANT, id)
      const seen = told()
      assert.deepEqual(hooksOf(seen), ['members of g: +0 -2', 'group remove'])
      for (const { rows } of seen) assert.deepEqual(rows.members, [])
      for (const { rows } of seen.slice(1)) assert.deepEqual(rows.groups, [])
    })

    test('1,001 members come in two parts', async () => {
      const { service, store, told, people } = await setUp()
      const [first = ''] = await people(1)
      const record = await store.users.get(TENANT, first)
      assert.ok(record)
      const ids = Array.from({ length: 1_001 }, (_, n) => `many-${n}`)
      // A store of a host saves before each hook what its transaction has not saved yet.
      for (let from = 0; from < ids.length; from += 50)
        await store.transaction(TENANT, async (tx) => {
          for (const id of ids.slice(from, from + 50))
            await tx.users.insert(TENANT, { ...record, id, userName: id, userNameKey: id })
        })
      told()
      const members = ids.map((value) => ({ value }))
      await service.groups.create(TENANT, { displayName: 'g', members })
      const parts = told().filter(({ hook }) => hook.startsWith('members'))
      assert.deepEqual(hooksOf(parts), ['members of g: +1000 -0', 'members of g: +1 -0'])
      assert.equal(parts.at(-1)?.rows.members.length, 1_001)
    })

    for (const [hook, request] of [
      ['user create', (service) => service.users.create(TENANT, { userName: 'ada' })],
      ['group create', (service) => service.groups.create(TENANT, { displayName: 'g' })],
      ['commit User', (service) => service.users.create(TENANT, { userName: 'ada' })],
      ['commit Group', (service) => service.groups.create(TENANT, { displayName: 'g' })],
    ] satisfies [string, (service: ScimService) => Promise<unknown>][]) {
      test(`a refusal rolls everything back: ${hook}`, async () => {
        let isRefusing = true
        const { service, told } = await setUp({}, (one) => isRefusing && one === hook)
        await assert.rejects(request(service))
        isRefusing = false
        told()
        await service.users.create(TENANT, { userName: 'eve' })
        const [first] = told()
        assert.equal(first?.rows.users.length, 1)
        assert.deepEqual(first.rows.groups, [])
      })
    }

    test('a refused change of members leaves the members, and the name', async () => {
      const { service, told, people } = await setUp({}, (hook) => hook === 'group update')
      const [a = '', b = ''] = await people(2)
      const group = { displayName: 'g', members: [{ value: a }] }
      const { id } = await service.groups.create(TENANT, group)
      await assert.rejects(
        service.groups.patch(TENANT, id, [
          { op: 'add', path: 'members', value: [{ value: b }] },
          { op: 'replace', path: 'displayName', value: 'h' },
        ]),
      )
      told()
      await service.users.create(TENANT, { userName: 'eve' })
      const [first] = told()
      assert.deepEqual(first?.rows.groups, [{ id, displayName: 'g' }])
      assert.deepEqual(memberIds(first.rows), [a])
    })
  })
}

function hooksOf(told: readonly Told[]): string[] {
  return told.map(({ hook }) => hook)
}

function memberIds(rows: HookRows | undefined): string[] {
  return (rows?.members ?? []).map(({ memberId }) => memberId).toSorted()
}
