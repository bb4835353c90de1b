import type { ScimStore } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { defineScimStoreContract } from '@x/scim-core/testing'
import { describe, expect, test } from 'vitest'

type Work = () => unknown

/** Runs the contract on a store and gives the names of the tests that fail. */
async function failures(create: () => ScimStore): Promise<string[]> {
  const tests: { readonly name: string; readonly work: Work }[] = []
  const around: { before: Work; after: Work } = { before: () => null, after: () => null }
  defineScimStoreContract(
    {
      describe: (_name, define) => define(),
      it: (name, work) => tests.push({ name, work }),
      beforeEach: (work) => (around.before = work),
      afterEach: (work) => (around.after = work),
    },
    { name: 'x', create: () => Promise.resolve(create()) },
  )
  const failed: string[] = []
  for (const { name, work } of tests) {
    await around.before()
    try {
      await work()
    } catch {
      failed.push(name)
    }
    await around.after()
  }
  return failed
}

/** A store with other parts, in its transactions too. */
function changed(store: ScimStore, change: (store: ScimStore) => Partial<ScimStore>): ScimStore {
  return {
    users: store.users,
    groups: store.groups,
    members: store.members,
    transaction: (tenant, work) => store.transaction(tenant, (tx) => work(changed(tx, change))),
    ...change(store),
  }
}

/** Ways in which a store goes wrong. */
const MISTAKES: Readonly<Record<string, (store: ScimStore) => Partial<ScimStore>>> = {
  'update without comparing versions': ({ users }) => ({
    users: {
      ...users,
      async update(tenant, record) {
        const stored = await users.get(tenant, record.id)
        return users.update(tenant, record, stored?.version ?? 0)
      },
    },
  }),
  'transactions that are not rolled back': (store) => ({ transaction: (_, work) => work(store) }),
  'tenants that see each other': ({ users }) => ({
    users: {
      ...users,
      get: async (tenant, id) => (await users.get(tenant, id)) ?? users.get('acme', id),
    },
  }),
  'totals of the page alone': ({ users }) => ({
    users: {
      ...users,
      async list(tenant, query) {
        const { records } = await users.list(tenant, query)
        return { records, total: records.length }
      },
    },
  }),
  'a filter that is left out': ({ users }) => ({
    users: {
      ...users,
      list: (tenant, { filter: _, ...query }) => users.list(tenant, query),
    },
  }),
  'members added twice': ({ members }) => ({
    members: {
      ...members,
      async add(tenant, groupId, ids, at) {
        await members.add(tenant, groupId, ids, at)
        return [...ids]
      },
    },
  }),
  'no groups of users': ({ members }) => ({
    members: { ...members, groupsOf: () => Promise.resolve(new Map()) },
  }),
  'tombstones that are seen': ({ users }) => ({
    users: {
      ...users,
      update: (tenant, record, version) =>
        users.update(tenant, { ...record, deletedAt: null }, version),
    },
  }),
}

/** The test that finds each of them, among others. */
const FOUND_BY: Readonly<Record<string, string>> = {
  'update without comparing versions': 'SC-85 update compares the version and writes all fields',
  'transactions that are not rolled back':
    'SC-29 an error rolls everything back and is rethrown unchanged',
  'tenants that see each other': 'SC-67 tenants do not see each other',
  'totals of the page alone': 'SC-31 concatenated pages hold each record once; the total is exact',
  'a filter that is left out': 'SC-44 userName eq "mira"',
  'members added twice': 'SC-58 add returns the ids that were new',
  'no groups of users': 'groupsOf gives the groups of each, by id; removeUser ends them all',
  'tombstones that are seen': 'SC-28 a tombstone is not found, and its userName is free',
}

describe('SC-87 the contract of stores', () => {
  test('passes for the memory store, under any runner', async () => {
    expect(await failures(createMemoryScimStore)).toEqual([])
  })

  test.each(Object.entries(MISTAKES))('fails for %s', async (name, change) => {
    const failed = await failures(() => changed(createMemoryScimStore(), change))
    expect(failed).toContain(FOUND_BY[name])
  })

  test('SC-67 the tenant isolation test fails for a store that ignores tenants', async () => {
    const mistake = MISTAKES['tenants that see each other']
    if (mistake === undefined) throw new Error('The mistake has another name')
    const failed = await failures(() => changed(createMemoryScimStore(), mistake))
    expect(failed).toEqual(['SC-67 tenants do not see each other'])
  })
})
