import assert from 'node:assert/strict'
import { TENANT, BASE_URL, type TestFunctions } from '../contract/fixture.ts'
import type { ScimOptions } from '../options/options.ts'
import { createScimService, type ScimService } from '../service/service.ts'
import type { OnGroupWrite } from '../store/groups.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { OnUserWrite } from '../store/users.ts'

/** The rows of a tenant as a query in the running transaction finds them, in any order. */
export interface HookRows {
  /** Without tombstones. */
  readonly users: readonly { readonly id: string; readonly active: boolean | null }[]
  readonly groups: readonly { readonly id: string; readonly displayName: string }[]
  readonly members: readonly { readonly groupId: string; readonly memberId: string }[]
}

/** The hooks that a store under test is made with; `Handle` is its own handle of a transaction. */
export interface StoreHooks<Handle> {
  readonly onUserWrite: OnUserWrite<Handle>
  readonly onGroupWrite: OnGroupWrite<Handle>
}

/** A store under test, with its hooks. */
export interface StoreHookSubject<Handle> {
  /** Shown in test titles. */
  readonly name: string
  /** Makes an empty store for each test. `rows` queries the tenant `acme` with the handle that a hook gets. */
  readonly create: (hooks: StoreHooks<Handle>) => Promise<{
    readonly store: ScimStore
    readonly rows: (handle: Handle) => Promise<HookRows>
    /** Disposes of the store after the test. */
    readonly close?: () => Promise<void>
  }>
}

/** What a hook was told, with the rows that it found then. */
interface Told {
  readonly hook: string
  readonly rows: HookRows
}

interface Setup {
  readonly service: ScimService
  readonly store: ScimStore
  /** What store hooks have been told since the last call. */
  readonly told: () => Told[]
  /** The same of `beforeCommit`. */
  readonly committed: () => Told[]
  /** Makes users; gives their ids, and forgets what was told of them. */
  readonly people: (count: number) => Promise<string[]>
}

/**
 * Defines the tests of the hooks of a store: each runs inside the transaction, in order, and a query on its handle
 * finds what it is told about and everything written before it. Assertions use `node:assert/strict`.
 */
export function defineStoreHookContract<Handle>(
  t: TestFunctions,
  { name, create }: StoreHookSubject<Handle>,
): void {
  let close: (() => Promise<void>) | undefined
  const setUp = async (
    options: Partial<ScimOptions> = {},
    refuses: (hook: string) => boolean = () => false,
  ): Promise<Setup> => {
    let told: Told[] = []
    let rows: (handle: Handle) => Promise<HookRows> = () => Promise.reject(new Error('not yet'))
    const tell = async (hook: string, handle: Handle): Promise<void> => {
      told.push({ hook, rows: wanted(await rows(handle)) })
      if (refuses(hook)) throw new Error('The hook refuses')
    }
    const made = await create({
      onUserWrite: ({ kind }, handle) => tell(`user ${kind}`, handle),
      onGroupWrite: (change, handle) =>
        tell(
          change.kind === 'members'
            ? `members of ${change.displayName}: +${change.added.length} -${change.removed.length}`
            : `group ${change.kind}`,
          handle,
        ),
    })
    rows = made.rows
    close = made.close
    const service = createScimService({
      store: made.store,
      baseUrl: BASE_URL,
      auth: { kind: 'host', authenticate: () => null },
      userName: 'any',
      onError: () => undefined,
      ...options,
      // The store's own handle, as its hooks get it.
      ...(options.beforeCommit === undefined && {
        beforeCommit: ({ resourceType }, { handle }) =>
          tell(`commit ${resourceType}`, handle as Handle),
      }),
    })
    const take = (isCommit: boolean): Told[] => {
      const taken = told.filter(({ hook }) => hook.startsWith('commit') === isCommit)
      told = told.filter((one) => !taken.includes(one))
      return taken
    }
    return {
      service,
      store: made.store,
      told: () => take(false),
      committed: () => take(true),
      async people(count) {
        const ids: string[] = []
        for (let n = 0; n < count; n += 1)
          ids.push((await service.users.create(TENANT, { userName: `person ${n}` })).id)
        told = []
        return ids
      },
    }
  }
  const test = (title: string, run: () => Promise<void>): unknown => t.it(title, run)

  t.describe(`the contract of store hooks: ${name}`, () => {
    t.beforeEach(() => undefined)
    t.afterEach(async () => {
      await close?.()
      close = undefined
    })

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
        await close?.()
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

/** Without what a query may give besides. */
function wanted({ users, groups, members }: HookRows): HookRows {
  return {
    users: users.map(({ id, active }) => ({ id, active })),
    groups: groups.map(({ id, displayName }) => ({ id, displayName })),
    members: members.map(({ groupId, memberId }) => ({ groupId, memberId })),
  }
}

function hooksOf(told: readonly Told[]): string[] {
  return told.map(({ hook }) => hook)
}

function memberIds(rows: HookRows | undefined): string[] {
  return (rows?.members ?? []).map(({ memberId }) => memberId).toSorted()
}
