import { createScimService } from '@x/scim-core'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { describe, expect, test } from 'vitest'
import { fileDatabase, postgresDatabase, postgresUrl } from './databases.ts'

const databases = [
  { name: 'SQLite', open: fileDatabase },
  ...(postgresUrl === null ? [] : [{ name: 'PostgreSQL', open: postgresDatabase }]),
]

describe.each(databases)('bounded lists on $name', ({ open }) => {
  test('DP-64 a total ends after its bound, and pages follow the last row', async () => {
    const database = await open()
    const { db } = database
    try {
      await migrateScim(db)
      const { users, groups } = createScimService({
        store: createScimStore(db),
        baseUrl: 'https://host.example/scim/v2',
        auth: { kind: 'token', token: 'a-token-of-the-test' },
      })
      const ids: string[] = []
      for (let n = 0; n < 30; n += 1) {
        const displayName = n % 2 === 0 ? `Ada ${n}` : `Bob ${n}`
        const body = { userName: `ada${n}@corp.example`, displayName, active: n % 3 !== 0 }
        ids.push((await users.create('acme', body)).id)
      }
      await users.create('globex', { userName: 'ada@corp.example', active: false })
      const all = async (filter: string | undefined, countUpTo?: number) => {
        const found: string[] = []
        const totals = new Set<number>()
        let next: string | undefined
        do {
          const page = await users.list('acme', {
            count: 7,
            ...(filter !== undefined && { filter }),
            ...(countUpTo !== undefined && { countUpTo }),
            ...(next !== undefined && { after: next }),
          })
          found.push(...page.Resources.map(({ id }) => id))
          totals.add(page.totalResults)
          next = page.next
        } while (next !== undefined)
        return { found: found.toSorted(), totals: [...totals] }
      }
      const where = (is: (n: number) => boolean) => ids.filter((_id, n) => is(n)).toSorted()
      const out = where((n) => n % 3 === 0)
      const filters: readonly [string | undefined, readonly string[]][] = [
        [undefined, where(() => true)],
        ['active ne true', out],
        ['not (active eq true)', out],
        ['active eq true', where((n) => n % 3 !== 0)],
        [
          '(userName sw "ada1" or displayName sw "bob")',
          where((n) => n % 2 === 1 || `${n}`.startsWith('1')),
        ],
        [
          'active ne true and (userName sw "ada2" or displayName sw "ada")',
          where((n) => n % 3 === 0 && (n % 2 === 0 || `${n}`.startsWith('2'))),
        ],
        [
          'displayName sw "bob" and userName co "1"',
          where((n) => n % 2 === 1 && `${n}`.includes('1')),
        ],
        ['userName eq "nobody"', []],
      ]
      for (const [filter, expected] of filters) {
        const total = [expected.length]
        expect([filter, await all(filter)]).toEqual([filter, { found: expected, totals: total }])
        expect([filter, await all(filter, 100)]).toEqual([
          filter,
          { found: expected, totals: total },
        ])
      }
      // Tests of each row go on to the end, ranges of an index end at the bound.
      expect(await all('active eq true', 5)).toMatchObject({ totals: [6] })
      expect((await all('active eq true', 5)).found).toHaveLength(20)
      const some = await all('(userName sw "ada" or displayName sw "b")', 9)
      expect([some.totals, some.found.length]).toEqual([[10], 10])
      await expect(users.list('acme', { after: 'somewhere' })).rejects.toThrow('after')
      const group = await groups.create('acme', {
        displayName: 'All',
        members: ids.map((value) => ({ value })),
      })
      expect(await groups.countMembers('acme', group.id)).toBe(30)
      expect(await groups.countMembers('acme', group.id, 7)).toBe(7)
      expect(await groups.countMembers('globex', group.id)).toBe(0)
    } finally {
      await database.close()
    }
  })
})
