import { append } from '@x/wire'
import assert from 'node:assert/strict'
import { compareSortKeys } from '../filter/compare.ts'
import { sortKey } from '../filter/compile.ts'
import { recordResource } from '../resource/record-resource.ts'
import type { ListQuery } from '../store/list-query.ts'
import type { ScimStore } from '../store/scim-store.ts'
import type { UserRecord } from '../store/users.ts'
import { moment, TENANT, userFilter, userPath, userRecord, type StoreSpec } from './fixture.ts'

const TITLES = ['b', 'A', null, 'Ä', 'a', '🚀', null, '\u{ff5e}', 'B', '10', '9']

export const pagingSpec: StoreSpec = ({ describe, it }, store) => {
  describe('lists', () => {
    it('SC-31 the default order is created, then id', async () => {
      const same = moment(5)
      for (const n of [3, 1, 2])
        await store().users.insert(TENANT, userRecord(n, { created: same }))
      await store().users.insert(TENANT, userRecord(9, { created: moment(1) }))
      assert.deepEqual(await numbers(store(), { limit: 10, withTotal: true }), [9, 1, 2, 3])
    })

    it('SC-31 concatenated pages hold each record once; the total is exact', async () => {
      for (let n = 0; n < 7; n += 1) await store().users.insert(TENANT, userRecord(n))
      const pages: number[] = []
      for (const offset of [0, 3, 6, 9]) {
        append(pages, await numbers(store(), { offset, limit: 3, withTotal: true }))
      }
      assert.deepEqual(pages, [0, 1, 2, 3, 4, 5, 6])
      const empty = await store().users.list(TENANT, { offset: 50, limit: 3, withTotal: true })
      assert.deepEqual(empty, { total: 7, records: [] })
      const none = await store().users.list(TENANT, { limit: 0, withTotal: true })
      assert.deepEqual(none, { total: 7, records: [] })
    })

    it('SC-84 a page holds every record as it was stored, whatever characters it has', async () => {
      const odd = '\u001e\u001f\n"\\,\u{1f680}'
      const stored = [1, 2, 3].map((n) =>
        userRecord(n, {
          externalId: n === 2 ? null : `${odd}${n}`,
          data: JSON.stringify({ title: `${odd}${n}`, nickName: n === 3 ? '' : odd }),
        }),
      )
      for (const record of stored) await store().users.insert(TENANT, record)
      const { records } = await store().users.list(TENANT, { limit: 10, withTotal: true })
      assert.deepEqual(
        records.map(({ id, externalId, data }) => ({ id, externalId, data })),
        stored.map(({ id, externalId, data }) => ({ id, externalId, data })),
      )
    })

    it('SC-37 pages after a position are stable under inserts and deletes', async () => {
      for (let n = 0; n < 6; n += 1) await store().users.insert(TENANT, userRecord(n))
      const after = { created: userRecord(2).created, id: userRecord(2).id, key: null }
      assert.deepEqual(await numbers(store(), { after, limit: 2, withTotal: true }), [3, 4])
      await store().users.remove(TENANT, userRecord(2).id)
      await store().users.remove(TENANT, userRecord(0).id)
      const { records, total } = await store().users.list(TENANT, {
        after,
        limit: 9,
        withTotal: true,
      })
      assert.deepEqual(records.map(numberOf), [3, 4, 5])
      assert.equal(total, 4)
    })

    for (const descending of [false, true]) {
      it(`SC-32 sorted ${descending ? 'descending' : 'ascending'}: folded, by code point, absent values ${descending ? 'first' : 'last'}, ties by id`, async () => {
        const sort = { path: userPath('title'), descending }
        const expected = await titled(store(), sort)
        assert.deepEqual(await numbers(store(), { sort, limit: 50, withTotal: true }), expected)
        assert.deepEqual(
          await numbers(store(), { sort, offset: 2, limit: 3, withTotal: true }),
          expected.slice(2, 5),
        )
      })

      it(`SC-37 sorted ${descending ? 'descending' : 'ascending'}, walked by place`, async () => {
        const sort = { path: userPath('title'), descending }
        const expected = await titled(store(), sort)
        const walked: number[] = []
        let after: ListQuery['after']
        for (let page = 0; page < 20; page += 1) {
          const query: ListQuery = { sort, limit: 2, withTotal: true, ...(after && { after }) }
          const { records } = await store().users.list(TENANT, query)
          const last = records.at(-1)
          if (last === undefined) break
          append(walked, records.map(numberOf))
          after = {
            created: last.created,
            id: last.id,
            key: sortKey(recordResource(last), sort.path),
          }
        }
        assert.deepEqual(walked, expected)
      })
    }

    it('SC-32 lists sort by their primary element, else the first', async () => {
      const emails = [
        '{"value":"z@x.example"},{"value":"a@x.example","primary":true}',
        '{"value":"B@x.example"},{"value":"y@x.example"}',
        '{"value":"c@x.example"}',
      ]
      for (const [n, list] of emails.entries()) {
        await store().users.insert(TENANT, userRecord(n, { data: `{"emails":[${list}]}` }))
      }
      const sort = { path: userPath('emails'), descending: true }
      assert.deepEqual(await numbers(store(), { sort, limit: 9, withTotal: true }), [2, 1, 0])
    })

    it('SC-32 sorts by attributes with a column of their own', async () => {
      await store().users.insert(
        TENANT,
        userRecord(1, { userName: 'B@x.example', active: true, externalId: 'b' }),
      )
      await store().users.insert(
        TENANT,
        userRecord(2, {
          userName: 'a@x.example',
          active: false,
          externalId: 'B',
          lastModified: moment(1),
        }),
      )
      await store().users.insert(
        TENANT,
        userRecord(3, { userName: 'c@x.example', active: null, lastModified: moment(9) }),
      )
      const by = (name: string): Promise<number[]> =>
        numbers(store(), {
          sort: { path: userPath(name), descending: false },
          limit: 9,
          withTotal: true,
        })
      assert.deepEqual(await by('userName'), [2, 1, 3])
      assert.deepEqual(await by('active'), [2, 1, 3])
      assert.deepEqual(await by('externalId'), [2, 1, 3])
      assert.deepEqual(await by('id'), [1, 2, 3])
      assert.deepEqual(await by('meta.created'), [1, 2, 3])
      assert.deepEqual(await by('meta.lastModified'), [1, 2, 3])
    })

    it('SH-77 the keys of a sorted list, where a store gives them, are those of its records', async () => {
      const values = [
        '{"title":"Ä","emails":[{"value":"A@x.example","primary":true}]}',
        '{"displayName":"B"}',
        '{}',
      ]
      for (const [n, data] of values.entries()) {
        await store().users.insert(
          TENANT,
          userRecord(n, { data, active: n === 2 ? null : n === 1 }),
        )
      }
      for (const name of ['userName', 'title', 'active', 'emails', 'meta.created', 'id']) {
        const path = userPath(name)
        const { records, keys } = await store().users.list(TENANT, {
          sort: { path, descending: true },
          limit: 9,
          withTotal: true,
        })
        if (keys === undefined) continue
        assert.deepEqual(
          keys,
          records.map((record) => sortKey(recordResource(record), path)),
          name,
        )
      }
    })

    it('SC-30 filter, sort and page together; the total counts all matches', async () => {
      for (let n = 0; n < 9; n += 1) {
        await store().users.insert(TENANT, userRecord(n, { active: n % 2 === 0 }))
      }
      const query: ListQuery = {
        filter: userFilter('active eq true'),
        sort: { path: userPath('userName'), descending: true },
        offset: 1,
        limit: 2,
        withTotal: true,
      }
      const { total, records } = await store().users.list(TENANT, query)
      assert.equal(total, 5)
      assert.deepEqual(records.map(numberOf), [6, 4])
    })
  })
}

async function titled(store: ScimStore, sort: NonNullable<ListQuery['sort']>): Promise<number[]> {
  const records = TITLES.map((title, n) =>
    userRecord(n, { data: title === null ? '{}' : JSON.stringify({ title }) }),
  )
  for (const record of records) await store.users.insert(TENANT, record)
  const key = (record: UserRecord): ReturnType<typeof sortKey> =>
    sortKey(recordResource(record), sort.path)
  const sign = sort.descending ? -1 : 1
  return records
    .toSorted((a, b) => sign * compareSortKeys(key(a), key(b)) || (a.id < b.id ? -1 : 1))
    .map(numberOf)
}

async function numbers(store: ScimStore, query: ListQuery): Promise<number[]> {
  const { records } = await store.users.list(TENANT, query)
  return records.map(numberOf)
}

function numberOf({ id }: UserRecord): number {
  return Number(id.slice(-12))
}
