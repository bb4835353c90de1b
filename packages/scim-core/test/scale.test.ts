import { createMemoryScimStore } from '@x/scim-core/memory'
import type { ScimStore } from '@x/scim-core'
import { describe, expect, test } from 'vitest'
import { createScim, problem } from './support.ts'

/** A store that writes down which methods are called. */
function recorded(store: ScimStore, calls: string[]): ScimStore {
  const watch = <T extends object>(part: T, name: string): T =>
    new Proxy(part, {
      get(target, key: string) {
        const member: unknown = Reflect.get(target, key)
        return typeof member === 'function'
          ? (...args: unknown[]) => {
              calls.push(`${name}.${key}`)
              return Reflect.apply(member, target, args) as unknown
            }
          : member
      },
    })
  const wrap = (inner: ScimStore): ScimStore => ({
    users: watch(inner.users, 'users'),
    groups: watch(inner.groups, 'groups'),
    members: watch(inner.members, 'members'),
    transaction: (tenant, work) => inner.transaction(tenant, (tx) => work(wrap(tx))),
  })
  return wrap(store)
}

describe('SC-58 groups at scale', () => {
  test('adding or removing a member takes the same few calls at every group size', async () => {
    const calls: string[] = []
    const scim = createScim({
      store: recorded(createMemoryScimStore(), calls),
      patchBodyMembers: 0,
    })
    const ids: string[] = []
    for (let n = 0; n < 300; n += 1) ids.push(await scim.user(`u${n}@x.example`))
    const costs: string[][] = []
    for (const size of [1, 250]) {
      const group = await scim.group(`g${size}`, ids.slice(0, size))
      for (const operation of [
        { op: 'add', path: 'members', value: [{ value: ids[299] }] },
        { op: 'remove', path: `members[value eq "${ids[299]}"]` },
        { op: 'remove', path: 'members', value: [{ value: ids[0] }] },
      ]) {
        calls.length = 0
        expect((await scim.patch(`/Groups/${group}`, [operation])).status).toBe(204)
        costs.push([...calls])
      }
    }
    expect(costs.slice(0, 3)).toEqual(costs.slice(3))
    expect(costs[0]).toEqual(['groups.get', 'users.briefs', 'members.add', 'groups.update'])
    expect(costs[1]).toEqual(['groups.get', 'members.remove', 'groups.update'])
  })

  test('replace is a set difference', { tags: ['long'] }, async () => {
    const scim = createScim()
    const ids: string[] = []
    for (let n = 0; n < 1_200; n += 1) ids.push(await scim.user(`u${n}@x.example`))
    const group = await scim.group('g', ids.slice(0, 1_000))
    const value = ids.slice(100).map((id) => ({ value: id }))
    await scim.patch(`/Groups/${group}`, [{ op: 'replace', path: 'members', value }])
    expect(scim.payloads.at(-1)?.event).toMatchObject({
      entry: { members: { added: 200, removed: 100 } },
    })
    expect(await scim.members(group)).toHaveLength(1_100)
  })

  test("SC-59 requests at the same time keep each other's members", async () => {
    const scim = createScim()
    const ids: string[] = []
    for (let n = 0; n < 100; n += 1) ids.push(await scim.user(`u${n}@x.example`))
    const group = await scim.group('g')
    const answers = await Promise.all(
      ids.map((value) =>
        scim.patch(`/Groups/${group}`, [{ op: 'add', path: 'members', value: [{ value }] }]),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await scim.members(group)).toHaveLength(100)
  })
})

describe('SC-85 compare-and-set', () => {
  const contended = (losses: number): ScimStore => {
    let left = losses
    const wrap = (inner: ScimStore): ScimStore => ({
      ...inner,
      users: {
        ...inner.users,
        update: (...args) => {
          left -= 1
          return left >= 0 ? Promise.resolve(false) : inner.users.update(...args)
        },
      },
      transaction: (tenant, work) => inner.transaction(tenant, (tx) => work(wrap(tx))),
    })
    return wrap(createMemoryScimStore())
  }

  test('a lost race is retried up to five times, with one event', async () => {
    const scim = createScim({ store: contended(5) })
    const id = await scim.user('a@x.example')
    const { status } = await scim.patch(`/Users/${id}`, [
      { op: 'replace', path: 'active', value: false },
    ])
    expect(status).toBe(200)
    expect(scim.events.filter((name) => name === 'user.deactivated')).toHaveLength(1)
  })

  test.each(['PATCH', 'PUT', 'DELETE', 'DELETE of a member group'])(
    'groups alike: %s',
    async (method) => {
      let left = 0
      const wrap = (inner: ScimStore): ScimStore => ({
        ...inner,
        groups: {
          ...inner.groups,
          update: (...args) => {
            left -= 1
            return left >= 0 ? Promise.resolve(false) : inner.groups.update(...args)
          },
        },
        transaction: (tenant, work) => inner.transaction(tenant, (tx) => work(wrap(tx))),
      })
      const scim = createScim({
        store: wrap(createMemoryScimStore()),
        deleteUser: 'remove',
        nestedGroups: true,
      })
      const nested = method === 'DELETE of a member group'
      const member = await (nested ? scim.group('inner') : scim.user('a@x.example'))
      const group = await scim.group('g', [member])
      const run = (): Promise<{ status: number }> => {
        if (method === 'PATCH')
          return scim.patch(`/Groups/${group}`, [{ op: 'remove', path: 'members' }])
        if (method === 'PUT') return scim.put(`/Groups/${group}`, { displayName: 'h' })
        return scim.delete(`/${nested ? 'Groups' : 'Users'}/${member}`)
      }
      scim.events.length = 0
      left = 6
      expect((await run()).status).toBe(503)
      expect(scim.events).toEqual(['audit'])
      expect(await scim.members(group)).toEqual([member])
      left = 5
      expect((await run()).status).toBeLessThan(300)
      expect(await scim.members(group)).toEqual([])
      expect(scim.events.filter((name) => name === 'group.members.changed')).toHaveLength(1)
    },
  )

  test('a lost race of a tombstone is retried too', async () => {
    const scim = createScim({ store: contended(5), deleteUser: 'tombstone' })
    const id = await scim.user('a@x.example')
    expect((await scim.delete(`/Users/${id}`)).status).toBe(204)
    expect((await scim.get(`/Users/${id}`)).status).toBe(404)
    expect(scim.events.filter((name) => name === 'user.deleted')).toHaveLength(1)
  })

  test('the sixth attempt fails', async () => {
    const scim = createScim({ store: contended(6) })
    const id = await scim.user('a@x.example')
    const put = await scim.put(`/Users/${id}`, { userName: 'a@x.example', title: 'x' })
    expect(put.body).toMatchObject(problem(503))
    expect((await scim.get(`/Users/${id}`)).body).not.toHaveProperty('title')
  })
})
