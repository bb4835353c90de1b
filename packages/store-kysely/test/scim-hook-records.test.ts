import { createScimService, type ScimChange, type UserWrite } from '@x/scim-core'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { describe, expect, test } from 'vitest'
import { fileDatabase, postgresDatabase, postgresUrl } from './databases.ts'
import { BASE, TOKEN } from './scim-handler.ts'

const TENANT = 'default'
const kinds = [
  ['SQLite', fileDatabase],
  ...(postgresUrl === null ? [] : [['PostgreSQL', postgresDatabase] as const]),
] as const

describe.each(kinds)('records of hooks on %s', (_name, open) => {
  test('SH-13 hooks get a user as it was and as it will be', async () => {
    const writes: UserWrite[] = []
    const changes: ScimChange[] = []
    const database = await open()
    await migrateScim(database.db)
    const service = createScimService({
      store: createScimStore(database.db, { onUserWrite: (change) => void writes.push(change) }),
      baseUrl: BASE,
      auth: { kind: 'token', token: TOKEN },
      beforeCommit: (change) => void changes.push(change),
    })
    const { id } = await service.users.create(TENANT, { userName: 'a@b.example', title: 'old' })
    await service.groups.create(TENANT, { displayName: 'G', members: [{ value: id }] })
    await service.users.patch(TENANT, id, [{ op: 'replace', path: 'title', value: 'new' }])

    const [created, updated] = writes
    expect(writes.map(({ kind }) => kind)).toEqual(['create', 'update'])
    expect(created?.before).toBeNull()
    expect(created?.after).toMatchObject({ id, version: 1 })
    const { before, after } = updated ?? {}
    expect([before?.version, before?.data]).toEqual([1, created?.after?.data])
    expect([after?.version, JSON.parse(after?.data ?? '')]).toEqual([2, { title: 'new' }])
    expect(before).not.toHaveProperty('groups')

    const [creation, , update] = changes
    expect([creation?.before, creation?.after]).toMatchObject([null, { id, title: 'old' }])
    expect([update?.before, update?.after]).toMatchObject([{ title: 'old' }, { title: 'new' }])
    expect({ ...update }).toMatchObject({ kind: 'update', before: { id }, after: { id } })
    expect(update?.after).toBe(update?.after)
    expect(Object.isFrozen(update?.after)).toBe(true)
    expect(Object.isFrozen(update?.after?.['meta'])).toBe(true)
    await database.close()
  })
})
