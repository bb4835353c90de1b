import type { UserRecord } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { compareDirectory, csvRows, type DirectoryRow } from '@x/scim-core/reconcile'
import { describe, expect, test } from 'vitest'
import { createScim } from './support.ts'

const tenant = 'default'

async function withUsers(...userNames: string[]) {
  const store = createMemoryScimStore()
  const scim = createScim({ store })
  const ids = new Map<string, string>()
  for (const userName of userNames) {
    const [name = '', externalId] = userName.split('=')
    const active = !name.startsWith('off')
    const more = externalId === undefined ? {} : { externalId }
    ids.set(name, await scim.user(`${name}@corp.example`, { active, ...more }))
  }
  const compare = (rows: readonly DirectoryRow[]) => compareDirectory({ store, tenant, rows })
  return { scim, ids, compare }
}

const row = (name: string, active?: boolean): DirectoryRow => ({
  userName: `${name}@corp.example`,
  active,
})

const record = (n: number): UserRecord => ({
  tenant,
  id: `id-${n}`,
  externalId: null,
  userName: `u${n}@corp.example`,
  userNameKey: `u${n}@corp.example`,
  active: true,
  data: '{}',
  created: new Date(n - (n % 7)),
  lastModified: new Date(n),
  version: 1,
  deletedAt: null,
})

describe('SF-64 the users here and the list of the directory', () => {
  test('who is active here and not listed, who is missing here, and who differs', async () => {
    const { compare, ids, scim } = await withUsers('ada', 'bob=e1', 'eve', 'off1', 'off2')
    const before = await scim.get('/Users')
    const found = await compare([
      row('ADA', true),
      { externalId: 'e1', active: false },
      row('off1', true),
      row('new', true),
    ])
    const names = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)
    expect(found).toMatchObject({ total: 5, suspicious: false })
    expect(names(found.notListed.rows)).toEqual([ids.get('eve')])
    expect(found.unknown).toEqual({
      count: 1,
      rows: [{ userName: 'new@corp.example', active: true }],
    })
    expect(names(found.different.rows)).toEqual([ids.get('bob'), ids.get('off1')])
    expect((await scim.get('/Users')).body).toEqual(before.body)
  })

  test.each([
    [10, 4, true],
    [10, 5, false],
    [9, 0, false],
  ])('of %i active users %i are listed: suspicious is %s', async (users, listed, suspicious) => {
    const all = Array.from({ length: users }, (_, n) => `u${n}`)
    const { compare } = await withUsers(...all)
    const found = await compare(all.slice(0, listed).map((name) => row(name)))
    expect(found).toMatchObject({ suspicious, notListed: { count: users - listed } })
  })

  test('users of several pages are each seen once, and the first 1,000 are named', async () => {
    const store = createMemoryScimStore()
    await store.transaction(tenant, async ({ users }) => {
      for (let n = 0; n < 2_001; n += 1) await users.insert(tenant, record(n))
    })
    const rows = [{ userName: 'U0@corp.example' }]
    const { total, notListed } = await compareDirectory({ store, tenant, rows })
    expect([total, notListed.count, notListed.rows.length]).toEqual([2_001, 2_000, 1_000])
    expect(new Set(notListed.rows.map(({ id }) => id)).size).toBe(1_000)
  })

  test('bad lists are refused', async () => {
    const store = createMemoryScimStore()
    await expect(
      compareDirectory({ store, tenant, rows: [{ active: true }] }),
    ).rejects.toMatchObject({
      scimType: 'invalidValue',
    })
    const rows = [row('a'), row('b')]
    await expect(compareDirectory({ store, tenant, rows, maxRows: 1 })).rejects.toMatchObject({
      scimType: 'tooMany',
    })
  })
})

describe('SF-64 lists as CSV', () => {
  async function read(...chunks: string[]): Promise<DirectoryRow[]> {
    async function* text() {
      yield* chunks
    }
    const rows: DirectoryRow[] = []
    for await (const each of csvRows(text())) rows.push(each)
    return rows
  }

  test('columns in any order, quotes, line ends and chunks anywhere', async () => {
    const csv =
      '\u{FEFF}Display Name,EXTERNALID,userName,active\r\n"Love, ""Ada""\nL",e1,ada@x.example,TRUE\r\n\n,,bob@x.example,0'
    const expected = [
      { externalId: 'e1', userName: 'ada@x.example', active: true },
      { externalId: undefined, userName: 'bob@x.example', active: false },
    ]
    expect(await read(csv)).toEqual(expected)
    expect(await read(...Array.from(csv))).toEqual(expected)
  })

  test.each([
    '',
    'name\nada',
    'userName,active\na@x.example,maybe',
    `userName\n${'a'.repeat(70_000)}`,
  ])('refused: %.20s', (csv) =>
    expect(read(csv)).rejects.toMatchObject({ scimType: 'invalidValue' }),
  )
})
