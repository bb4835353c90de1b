import assert from 'node:assert/strict'
import { fold } from '../base/fold.ts'
import { parseFilter } from '../filter/parse.ts'
import type { ResolvedFilter } from '../filter/resolved.ts'
import { resolveFilter } from '../filter/resolve.ts'
import { createTypeSchemas } from '../schema/resource-type.ts'
import { schemaOf } from '../schema/registry.ts'
import { isUniqueConflict } from '../store/errors.ts'
import type { ResourceRecord, ResourceStore } from '../store/resources.ts'
import {
  BASE_URL,
  moment,
  OTHER_TENANT,
  TENANT,
  type StoreSubject,
  type TestFunctions,
} from './fixture.ts'

type WritableStore = Required<Omit<ResourceStore, 'snapshot'>>

const [ROLE] = createTypeSchemas([
  {
    name: 'Role',
    endpoint: '/Roles',
    schema: {
      urn: 'urn:example:role',
      attributes: [
        { name: 'displayName', required: true },
        { name: 'level', type: 'integer' },
        { name: 'tags', multiValued: true },
      ],
    },
  },
])

/** Defines the tests of a store for a host's own types. */
export function defineResourceStoreContract(
  t: TestFunctions,
  { name, create, destroy }: StoreSubject<WritableStore>,
): void {
  t.describe(`the contract of resources: ${name}`, () => {
    let store: WritableStore
    t.beforeEach(async () => {
      store = await create()
    })
    t.afterEach(() => destroy?.(store))
    const names = async (filter?: string): Promise<string[]> => {
      const query = { limit: 10, withTotal: true, ...(filter && { filter: resolved(filter) }) }
      const { total, records } = await store.list(TENANT, query)
      assert.equal(total, records.length)
      return records.map(({ id }) => id)
    }

    t.it('SH-40 keeps every field, within its tenant', async () => {
      await store.insert(TENANT, record(1, { externalId: 'X', data: '{"displayName":"ß"}' }))
      const read = await store.get(TENANT, 'r1')
      const { uniqueKeys: _keys, ...kept } = read ?? record(9)
      const { uniqueKeys: _own, ...given } = record(1, {
        externalId: 'X',
        data: '{"displayName":"ß"}',
      })
      assert.deepEqual(kept, given)
      assert.equal(await store.get(OTHER_TENANT, 'r1'), null)
      assert.deepEqual(await names(), ['r1'])
    })

    t.it('SC-85 update compares the version; remove deletes once', async () => {
      await store.insert(TENANT, record(1))
      const next = record(1, { data: '{"displayName":"New"}', version: 2 })
      assert.equal(await store.update(TENANT, next, 7), false)
      assert.equal(await store.update(TENANT, next, 1), true)
      assert.equal((await store.get(TENANT, 'r1'))?.data, next.data)
      assert.equal(await store.remove(OTHER_TENANT, 'r1'), false)
      assert.equal(await store.remove(TENANT, 'r1'), true)
      assert.equal(await store.remove(TENANT, 'r1'), false)
    })

    t.it('SH-40 unique values are, until they are given up', async () => {
      const keyed = (n: number, key: string, version = 1): ResourceRecord =>
        record(n, { uniqueKeys: { displayName: fold(key) }, version })
      await store.insert(TENANT, keyed(1, 'Admin'))
      const isConflict = (error: unknown): boolean =>
        isUniqueConflict(error) && error.constraint === 'resource.displayName'
      await assert.rejects(store.insert(TENANT, keyed(2, 'ADMIN')), isConflict)
      assert.equal(await store.get(TENANT, 'r2'), null)
      await store.insert(OTHER_TENANT, { ...keyed(3, 'admin'), tenant: OTHER_TENANT })
      await store.insert(TENANT, keyed(4, 'Editor'))
      await assert.rejects(store.update(TENANT, keyed(4, 'admin', 2), 1), isConflict)
      assert.equal((await store.get(TENANT, 'r4'))?.version, 1)
      assert.equal(await store.update(TENANT, keyed(1, 'Boss', 2), 1), true)
      assert.equal(await store.update(TENANT, keyed(4, 'admin', 2), 1), true)
      await store.remove(TENANT, 'r4')
      await store.insert(TENANT, keyed(5, 'Admin'))
    })

    t.it('SH-35 filters, sorts and pages', async () => {
      const rows = ['{"displayName":"Beta","level":2,"tags":["Red"]}', '{"displayName":"alpha"}']
      for (const [n, data] of rows.entries()) await store.insert(TENANT, record(n, { data }))
      await store.insert(TENANT, record(2, { data: '{"displayName":"Gamma","level":5}' }))
      assert.deepEqual(await names('displayName eq "BETA"'), ['r0'])
      assert.deepEqual(await names('level gt 1 and level lt 5'), ['r0'])
      assert.deepEqual(await names('tags eq "red"'), ['r0'])
      assert.deepEqual(await names('not (level pr)'), ['r1'])
      assert.deepEqual(await names('id eq "r2"'), ['r2'])
      const path = {
        key: 'displayName',
        urn: null,
        name: 'displayName',
        sub: null,
        type: 'string',
        caseExact: false,
        multiValued: false,
      } as const
      const sorted = { sort: { path, descending: false }, withTotal: true }
      const first = await store.list(TENANT, { ...sorted, limit: 2 })
      assert.deepEqual([first.total, ...first.records.map(({ id }) => id)], [3, 'r1', 'r0'])
      const rest = await store.list(TENANT, { limit: 2, offset: 2, withTotal: true })
      assert.deepEqual(
        rest.records.map(({ id }) => id),
        ['r2'],
      )
      const none = await store.list(TENANT, { limit: 0, withTotal: true })
      assert.deepEqual(none, { total: 3, records: [] })
    })
  })
}

function record(n: number, fields: Partial<ResourceRecord> = {}): ResourceRecord {
  return {
    tenant: TENANT,
    id: `r${n}`,
    externalId: null,
    uniqueKeys: {},
    data: '{"displayName":"x"}',
    created: moment(n),
    lastModified: moment(n),
    version: 1,
    ...fields,
  }
}

function resolved(text: string): ResolvedFilter {
  const schema = schemaOf({ Role: ROLE } as never, 'Role')
  const filter = resolveFilter(parseFilter(text), schema, { baseUrl: BASE_URL })
  if (typeof filter === 'boolean') throw new TypeError(`${text} is ${filter} for every resource`)
  return filter
}
