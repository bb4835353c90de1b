import type { ScimStore } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { beforeEach, describe, expect, test } from 'vitest'
import { createScim, problem, type Harness } from './support.ts'

let scim: Harness
let id: string

beforeEach(async () => {
  scim = createScim()
  id = await scim.user('ada@corp.example')
})

describe('SC-55 sub-attributes of members are immutable', () => {
  test.each(['value', '$ref', 'type', 'display'])('members[...].%s', async (sub) => {
    const group = await scim.group('g', [id])
    for (const op of ['add', 'replace']) {
      const { body } = await scim.patch(`/Groups/${group}`, [
        { op, path: `members[value eq "${id}"].${sub}`, value: 'x' },
      ])
      expect(body).toMatchObject(problem(400, 'mutability'))
    }
    expect(await scim.members(group)).toEqual([id])
  })

  test('add with members[value eq ...] adds that member and nothing else', async () => {
    const other = await scim.user('b@corp.example')
    const group = await scim.group('g', [id])
    const add = (path: string, value: unknown) =>
      scim.patch(`/Groups/${group}`, [{ op: 'add', path, value }])
    expect((await add(`members[value eq "${other}"]`, { value: other })).status).toBe(200)
    expect(await scim.members(group)).toEqual([id, other])
    for (const [path, value] of [
      [`members[value eq "${other}"]`, { value: id }],
      [`members[value eq "${other}"]`, id],
      ['members[type eq "User"]', { type: 'Group' }],
      [`members[value eq "${other}" and type eq "User"]`, { value: other }],
      ['members.display', 'x'],
      ['members.value', other],
    ] as const) {
      expect((await add(path, value)).body).toMatchObject(problem(400, 'mutability'))
    }
    const removal = [{ op: 'remove', path: `members[value eq "${id}"].display` }]
    expect((await scim.patch(`/Groups/${group}`, removal)).status).toBe(400)
    expect(await scim.members(group)).toEqual([id, other])
  })
})

describe('SC-56 members as value', () => {
  test.each([
    ['object', (value: string) => ({ value })],
    ['list of objects', (value: string) => [{ value, $ref: null }]],
    ['list of ids', (value: string) => [value]],
    ['id', (value: string) => value],
  ])('%s', async (_, form) => {
    const other = await scim.user('b@corp.example')
    const group = await scim.group('g', [id])
    const change = async (op: string): Promise<unknown[]> => {
      await scim.patch(`/Groups/${group}`, [{ op, path: 'members', value: form(other) }])
      return scim.members(group)
    }
    expect(await change('add')).toEqual([id, other])
    expect(await change('remove')).toEqual([id])
    expect(await change('replace')).toEqual([other])
  })

  test('a filter of several ids removes them all; other filters work too', async () => {
    const others = [
      await scim.user('b@corp.example'),
      await scim.user('c@corp.example', { displayName: 'Cy' }),
    ]
    const group = await scim.group('g', [id, ...others])
    await scim.patch(`/Groups/${group}`, [
      { op: 'remove', path: `members[value eq "${id}" or value eq "${others[0]}"]` },
    ])
    expect(await scim.members(group)).toEqual([others[1]])
    await scim.patch(`/Groups/${group}`, [
      { op: 'remove', path: 'members[display eq "cy" and type eq "User"]' },
    ])
    expect(await scim.members(group)).toEqual([])
  })

  test('a filter with more than ids is not a list of ids', async () => {
    const others = [
      await scim.user('b@corp.example', { displayName: 'Bo' }),
      await scim.user('c@corp.example', { displayName: 'Cy' }),
    ]
    const group = await scim.group('g', [id, ...others])
    const remove = async (filter: string): Promise<unknown> => {
      await scim.patch(`/Groups/${group}`, [{ op: 'remove', path: `members[${filter}]` }])
      return scim.members(group)
    }
    expect(await remove(`display eq "${id}"`)).toEqual([id, ...others])
    expect(await remove(`value eq "${others[0]}" or display eq "cy"`)).toEqual([id])
    await scim.patch(`/Groups/${group}`, [{ op: 'add', path: 'members', value: others }])
    expect(await remove(`value ne "${id}"`)).toEqual([id])
  })

  test('D13 unknown ids are checked at the end: replaced or removed ones are accepted', async () => {
    const group = await scim.group('g', [id])
    const ghost = { op: 'add', path: 'members', value: 'ghost' }
    for (const undo of [
      { op: 'replace', path: 'members', value: [id] },
      { op: 'remove', path: 'members', value: 'ghost' },
    ]) {
      expect((await scim.patch(`/Groups/${group}`, [ghost, undo])).status).toBe(200)
      expect((await scim.patch(`/Groups/${group}`, [undo, ghost])).status).toBe(400)
    }
  })

  test('D15 remove without value, or with null, empties the list', async () => {
    for (const operation of [
      { op: 'remove', path: 'members' },
      { op: 'remove', path: 'members', value: null },
    ]) {
      const group = await scim.group(`g${JSON.stringify(operation)}`, [id])
      await scim.patch(`/Groups/${group}`, [operation])
      expect(await scim.members(group)).toEqual([])
    }
  })

  test('SC-57 SC-58 members added and removed in one request are unchanged', async () => {
    const other = await scim.user('b@corp.example')
    const group = `/Groups/${await scim.group('g', [id])}`
    const before = (await scim.get(group)).body
    const cross = [
      { op: 'add', path: 'members', value: other },
      { op: 'remove', path: 'members', value: id },
      { op: 'remove', path: 'members', value: other },
      { op: 'add', path: 'members', value: id },
    ]
    scim.events.length = 0
    expect((await scim.patch(group, cross)).body).toEqual(before)
    expect(scim.events).toEqual(['audit'])
  })
})

describe('D12 the answer', () => {
  test('204 for a large group, unless attributes are asked for', async () => {
    const large = createScim({ patchBodyMembers: 1 })
    const ids = [await large.user('a@x.example'), await large.user('b@x.example')]
    const group = await large.group('g', ids)
    const op = [{ op: 'replace', path: 'externalId', value: 'x' }]
    expect((await large.patch(`/Groups/${group}`, op)).status).toBe(204)
    const { status, body } = await large.patch(`/Groups/${group}?attributes=externalId`, op)
    expect([status, body['externalId']]).toEqual([200, 'x'])
    await large.patch(`/Groups/${group}`, [
      { op: 'remove', path: 'members', value: [{ value: ids[0] }] },
    ])
    expect((await large.patch(`/Groups/${group}`, op)).status).toBe(200)
    await large.patch(`/Groups/${group}`, [{ op: 'add', path: 'members', value: ids }])
    const narrowed = await large.patch(`/Groups/${group}?excludedAttributes=members`, op)
    expect(narrowed.status).toBe(200)
    expect(narrowed.body).not.toHaveProperty('members')
  })

  test(
    '0 always answers 204 for a group; the default is more than 1000 members',
    { tags: ['long'] },
    async () => {
      const never = createScim({ patchBodyMembers: 0 })
      const op = [{ op: 'replace', path: 'externalId', value: 'x' }]
      const { status, body } = await never.patch(`/Groups/${await never.group('g')}`, op)
      expect([status, body]).toEqual([204, {}])
      expect((await never.patch(`/Users/${await never.user('a@x.example')}`, op)).status).toBe(200)
      const ids: string[] = []
      for (let n = 0; n < 1_001; n += 1) ids.push(await scim.user(`u${n}@x.example`))
      const group = `/Groups/${await scim.group('g', ids.slice(0, 1_000))}`
      expect((await scim.patch(group, op)).status).toBe(200)
      await scim.patch(group, [{ op: 'add', path: 'members', value: ids[1_000] }])
      expect((await scim.patch(group, op)).status).toBe(204)
    },
  )
})

describe('AB-88 filters over the members of a large group', () => {
  const MEMBERS = 4_000
  let group: string
  let host: Harness
  let read: number
  beforeEach(async () => {
    const store = createMemoryScimStore()
    const counted = (tx: ScimStore): ScimStore => ({
      ...tx,
      members: {
        ...tx.members,
        pages: async function* pages(tenant, groupId) {
          for await (const row of tx.members.list(tenant, groupId)) {
            read += 1
            yield [row]
          }
        },
      },
    })
    host = createScim({
      store: {
        ...store,
        transaction: (tenant, work) => store.transaction(tenant, (tx) => work(counted(tx))),
      },
    })
    const ids: string[] = []
    for (let n = 0; n < MEMBERS; n += 1) ids.push(await host.user(`u${n}@corp.example`))
    group = await host.group('g', ids)
    read = 0
  })
  const removal = (n: number): object => ({ op: 'remove', path: `members[display co "no ${n}"]` })

  test('consecutive removals by filter read the members once', { tags: ['long'] }, async () => {
    const operations = Array.from({ length: 50 }, (_, n) => removal(n))
    expect((await host.patch(`/Groups/${group}?attributes=id`, operations)).status).toBe(200)
    expect(read).toBe(MEMBERS)
  })

  test('each of them removes its members', { tags: ['long'] }, async () => {
    const all = await host.members(group)
    const [first = '', second = ''] = all.map(String)
    const operations = [`value eq "${first}" and type eq "User"`, `value ew "${second}"`].map(
      (where) => ({ op: 'remove', path: `members[${where}]` }),
    )
    await host.patch(`/Groups/${group}?attributes=id`, operations)
    expect(await host.members(group)).toEqual(all.slice(2))
    expect(read).toBe(MEMBERS)
  })
})
