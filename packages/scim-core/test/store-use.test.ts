import type { ScimStore } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { describe, expect, test } from 'vitest'
import { createScim } from './support.ts'

/** A store that may not be used from outside while one of its transactions runs. */
function strict(store: ScimStore, misuses: string[]): ScimStore {
  let running = false
  const guard = <T extends object>(part: T, name: string): T =>
    new Proxy(part, {
      get(target, key: string) {
        if (running) misuses.push(`${name}.${key}`)
        return Reflect.get(target, key) as unknown
      },
    })
  return {
    users: guard(store.users, 'users'),
    groups: guard(store.groups, 'groups'),
    members: guard(store.members, 'members'),
    async transaction(tenant, work) {
      if (running) misuses.push('transaction')
      return store.transaction(tenant, async (tx) => {
        running = true
        try {
          return await work(tx)
        } finally {
          running = false
        }
      })
    },
  }
}

describe('SC-86 transactions', () => {
  test.each(['deactivate', 'tombstone', 'remove'] as const)(
    'inside of one only its own store is used (deleteUser: %s)',
    async (deleteUser) => {
      const misuses: string[] = []
      const store = strict(createMemoryScimStore(), misuses)
      const scim = createScim({ store, deleteUser, bulk: true, nestedGroups: true })
      const emails = [{ value: 'other@x.example', primary: true }]
      const a = await scim.user('a@x.example', { emails })
      const b = await scim.user('b@x.example')
      const group = await scim.group('g', [a])
      const nested = await scim.group('h', [group, b])
      const answers = [
        await scim.put(`/Users/${a}`, { userName: 'c@x.example', emails }),
        await scim.patch(`/Users/${b}`, [{ op: 'add', path: 'emails', value: emails }]),
        await scim.put(`/Groups/${group}`, { displayName: 'G', members: [{ value: b }] }),
        await scim.patch(`/Groups/${nested}`, [
          { op: 'remove', path: 'members[type eq "Group"]' },
          { op: 'add', path: 'members', value: [{ value: a }] },
        ]),
        await scim.delete(`/Users/${a}`),
        await scim.delete(`/Groups/${group}`),
      ]
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 204, 204])
      expect(misuses).toEqual([])
    },
  )
})
