import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql, type Kysely } from 'kysely'
import { createScimService, type ScimService } from '@x/scim-core'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { fileDatabase, postgresDatabase, postgresUrl, type TestDatabase } from './databases.ts'

const TENANT = 'default'
const databases: readonly (readonly [name: string, open: () => Promise<TestDatabase>])[] = [
  ['SQLite', fileDatabase],
  ...(postgresUrl === null ? [] : ([['PostgreSQL', postgresDatabase]] as const)),
]

for (const [name, open] of databases)
  describe(`signing in on ${name}`, () => {
    let database: TestDatabase
    let service: ScimService
    beforeAll(async () => {
      database = await open()
      await migrateScim(database.db)
      await sql`create table host_session (user_id text not null)`.execute(database.db)
      const store = createScimStore(database.db, {
        async onSessionsEnd({ userId }, tx) {
          await sql`delete from host_session where user_id = ${userId}`.execute(tx)
        },
      })
      service = createScimService({
        store,
        baseUrl: 'https://host.example/scim/v2',
        auth: { kind: 'token', token: 'secret-token' },
        deleteUser: 'tombstone',
      })
    })
    afterAll(() => database.close())

    const create = async (userName: string, externalId: string) =>
      (await service.users.create(TENANT, { userName, externalId })).id
    const signIn = async (who: Parameters<ScimService['acquireActiveUser']>[1]) => {
      const found = await service.acquireActiveUser(TENANT, who, async ({ user, handle }) => {
        const tx = handle as Kysely<unknown>
        await sql`insert into host_session (user_id) values (${user.id})`.execute(tx)
      })
      return found.ok ? 'ok' : found.reason
    }
    const count = async (id: string) => {
      const found = await sql<{ n: number }>`
        select count(*) as n from host_session where user_id = ${id}`.execute(database.db)
      return Number(found.rows[0]?.n)
    }
    const setActive = (id: string, active: boolean) =>
      service.users.patch(TENANT, id, [{ op: 'replace', path: 'active', value: active }])

    test('DP-46 no session of somebody who was deactivated is left', async () => {
      const id = await create('ada@corp.example', 'x1')
      for (let round = 0; round < 25; round += 1) {
        await Promise.all([signIn({ id }), setActive(id, false), signIn({ externalId: 'x1' })])
        expect(await count(id)).toBe(0)
        expect(await signIn({ userName: 'ada@corp.example' })).toBe('inactive')
        await setActive(id, true)
      }
      expect(await signIn({ id })).toBe('ok')
      expect(await count(id)).toBe(1)
    })

    test('DP-46 an error rolls the session back; a tombstone is told', async () => {
      const id = await create('bob@corp.example', 'x2')
      const failing = service.acquireActiveUser(TENANT, { id }, async ({ handle }) => {
        const tx = handle as Kysely<unknown>
        await sql`insert into host_session (user_id) values (${id})`.execute(tx)
        throw new Error('broken')
      })
      await expect(failing).rejects.toThrow('broken')
      expect(await count(id)).toBe(0)
      await service.users.delete(TENANT, id)
      expect(await signIn({ id })).toBe('deleted')
      expect(await signIn({ externalId: 'x2' })).toBe('deleted')
      expect(await signIn({ userName: 'bob@corp.example' })).toBe('unknown')
    })
  })
