import { createRoleMapping, type RolesChange } from '@x/directory-portal'
import { createScimService } from '@x/scim-core'
import { createPortalStore, migratePortal } from '@x/store-kysely/portal'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileDatabase, postgresDatabase, postgresUrl, type TestDatabase } from './databases.ts'

const databases = [
  { name: 'SQLite', open: fileDatabase },
  ...(postgresUrl === null ? [] : [{ name: 'PostgreSQL', open: postgresDatabase }]),
]

describe.each(databases)('roles on $name', ({ open }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await open()
    await migratePortal(database.db)
    await migrateScim(database.db)
  })
  afterAll(() => database.close())

  test('DP-41 changes of a person at once are all seen, and a refused one leaves no trace', async () => {
    const { db } = database
    const changes: RolesChange[] = []
    let refuses = false
    const store = createPortalStore(db)
    const roles = createRoleMapping({
      store,
      roles: ['a', 'b', 'c', 'd'].map((value) => ({ value })),
      onRolesChange(change) {
        changes.push(change)
        if (refuses) throw new Error('no')
      },
    })
    const { onGroupWrite, onUserWrite } = roles
    const { users, groups } = createScimService({
      store: createScimStore(db, { onGroupWrite, onUserWrite }),
      baseUrl: 'https://host.example/scim/v2',
      auth: { kind: 'token', token: 'a-token-of-the-test' },
      onError: () => undefined,
    })
    const { id } = await users.create('acme', { userName: 'ada@corp.example', active: true })
    const ids: string[] = []
    for (const displayName of ['a', 'b', 'c', 'd'])
      ids.push((await groups.create('acme', { displayName })).id)
    const rules = ids.map((groupId, at) => ({ groupId, role: 'abcd'[at] ?? '' }))
    await roles.replace('acme', { rules, default: null })
    await roles.apply()
    const move = (groupId: string, op: string) =>
      groups.patch('acme', groupId, [{ op, path: 'members', value: [{ value: id }] }])
    await Promise.all(ids.map((groupId) => move(groupId, 'add')))
    expect(await roles.of('acme', id)).toEqual(['a', 'b', 'c', 'd'])
    expect(changes).toHaveLength(4)
    refuses = true
    await expect(move(ids[0] ?? '', 'remove')).rejects.toThrow()
    refuses = false
    expect(await roles.of('acme', id)).toEqual(['a', 'b', 'c', 'd'])
    expect((await groups.get('acme', ids[0] ?? ''))?.members).toHaveLength(1)
    await Promise.all([
      ...ids.slice(0, 2).map((groupId) => move(groupId, 'remove')),
      users.patch('acme', id, [{ op: 'replace', path: 'active', value: false }]),
    ])
    expect(await roles.of('acme', id)).toEqual([])
    await users.patch('acme', id, [{ op: 'replace', path: 'active', value: true }])
    expect(await roles.of('acme', id)).toEqual(['c', 'd'])
    expect(changes.at(-1)).toMatchObject({ before: [], after: ['c', 'd'], cause: 'user' })
    await roles.replace('acme', { rules: rules.slice(0, 3), default: 'd' })
    await roles.apply()
    expect(await roles.of('acme', id)).toEqual(['c'])
    expect(await roles.read('acme')).toMatchObject({ default: 'd', applying: null })
  })
})
