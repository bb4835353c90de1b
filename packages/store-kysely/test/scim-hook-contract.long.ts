import { needs } from '@x/test-kit/needs'
import { defineStoreHookContract, type HookRows, type StoreHooks } from '@x/scim-core/testing'
import { createScimStore, migrateScim, type ScimTransaction } from '@x/store-kysely/scim'
import { sql, type Kysely } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest'
import { emptyTables, memoryDatabase, postgresDatabase, type TestDatabase } from './databases.ts'
import { HOST_TABLES, scanTables } from './scan-tables.ts'

const frame = { describe, it, beforeEach, afterEach }

/** The hooks of the SQL store on one database, which is emptied between tests. */
function defineSql(name: string, open: () => Promise<TestDatabase>): void {
  let database: TestDatabase
  beforeAll(async () => {
    database = await open()
    await migrateScim(database.db)
  })
  afterAll(() => database.close())
  defineStoreHookContract<ScimTransaction>(frame, {
    name: `SF-38 ${name}`,
    async create(hooks) {
      await emptyTables(database.db)
      const rows = async (tx: ScimTransaction): Promise<HookRows> => {
        const users = await tx
          .selectFrom('scim_user')
          .select(['id', 'active'])
          .where('deleted_at', 'is', null)
          .execute()
        const groups = await tx
          .selectFrom('scim_group')
          .select(['id', 'display_name as displayName'])
          .execute()
        const members = await tx
          .selectFrom('scim_member')
          .select(['group_id as groupId', 'member_id as memberId'])
          .execute()
        const isActive = (active: unknown): boolean => Number(active) === 1
        const people = users.map(({ id, active }) => ({ id, active: isActive(active) }))
        return { users: people, groups, members }
      }
      return { store: createScimStore(database.db, hooks), rows }
    },
  })
}

describe('SQLite', () => {
  defineSql('SQLite', memoryDatabase)
})
describe('PostgreSQL', needs('postgres'), () => {
  defineSql('PostgreSQL', postgresDatabase)
})

describe('a host', () => {
  interface Row {
    readonly id: string
    readonly row: string
  }
  const rows = async (tx: Kysely<unknown>): Promise<HookRows> => {
    const read = async (table: string) =>
      (await sql<Row>`select id, row from ${sql.table(table)} where org = 'acme'`.execute(tx)).rows
    const parsed = (row: string) => JSON.parse(row) as Record<string, unknown>
    const { rows: members } = await sql<{
      readonly groupId: string
      readonly memberId: string
    }>`select team_id as "groupId", account_id as "memberId" from team_member`.execute(tx)
    const users = (await read('account')).map(({ id, row }) => ({ id, ...parsed(row) }))
    return {
      users: users
        .filter((user) => Reflect.get(user, 'deletedAt') == null)
        .map((user) => ({ id: user.id, active: Reflect.get(user, 'active') === true })),
      groups: (await read('team')).map(({ id, row }) => ({
        id,
        displayName: String(parsed(row)['displayName']),
      })),
      members,
    }
  }
  defineStoreHookContract<Kysely<unknown>>(frame, {
    name: 'SF-38 tables of a host in SQLite',
    async create(hooks: StoreHooks<Kysely<unknown>>) {
      const database = await memoryDatabase()
      const { db } = database
      for (const table of HOST_TABLES) await sql.raw(table).execute(db)
      return { store: scanTables(db, hooks), rows, close: () => database.close() }
    },
  })
})
