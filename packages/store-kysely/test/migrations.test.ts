import { needs } from '@x/test-kit/needs'
import { sql, type Kysely } from 'kysely'
import { MigrationError } from '@x/store-kysely'
import {
  createFlowStore,
  createJobStore,
  flowMigrationPlan,
  flowMigrationStatus,
  migrateFlow,
} from '@x/store-kysely/flow'
import { createSchemas, parseFilter, resolveFilter } from '@x/scim-core'
import {
  createScimStore,
  migrateScim,
  scimMigrationPlan,
  scimMigrationStatus,
} from '@x/store-kysely/scim'
import { openPostgres } from '@x/store-kysely/postgres'
import { openSqlite } from '@x/store-kysely/sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FLOW_SCHEMA } from '../src/flow/schema.ts'
import { migrate } from '../src/schema/migrate.ts'
import { initial } from '../src/schema/migrations/flow/0001-initial.ts'
import { initial as initialScim } from '../src/schema/migrations/scim/0001-initial.ts'
import { eventRows } from '../src/schema/migrations/flow/0002-event-rows.ts'
import { webhookNames } from '../src/schema/migrations/flow/0003-webhook-names.ts'
import { fileDatabase, postgresDatabase, type TestDatabase } from './databases.ts'

const idOf = (digit: string) => `00000000-0000-4000-8000-00000000000${digit}`

type Open = (address: string) => Kysely<unknown>

/** The statements of each released step; a change of one would lock its users out. */
const RELEASED = {
  sqlite: {
    'flow 0001-initial': '28fe2d304b76e5e5',
    'flow 0002-event-rows': '09a9ca820840bf12',
    'flow 0003-webhook-names': 'bf1a8d00dda9eaee',
    'flow 0004-token-epoch': '02ff46de52c7b102',
    'flow 0005-collections': '37866b7d00eca823',
    'flow 0006-job-lanes': 'a0b476bc4bee60e9',
    'flow 0007-job-fences': 'expand:bb0a5d894',
    'flow 0008-job-rests': 'expand:b8fd63332',
    'flow 0009-record-owners': 'expand:4ac9a5ca4',
    'flow 0010-audit-records': 'expand:2cda75c33',
    'flow 0011-flow-versions': 'expand:2a41b86be',
    'flow 0012-schedules': 'expand:668124bcc',
    'flow 0013-job-traces': 'expand:94aed229d',
    'flow 0014-run-traces': 'expand:f5bf1f553',
    'flow 0015-job-results': 'expand:518fcd197',
    'flow 0016-job-turns': 'expand:ddadced0e',
    'flow 0017-job-chats': 'expand:f16297fc7',
    'flow 0018-processes': 'expand:c82d40c4c',
    'flow 0019-agent-keys': 'expand:8b8028e9b',
    'flow 0020-budgets': 'expand:2fda603ac',
    'flow 0021-held-jobs': 'expand:5dca7d9ca',
    'scim 0001-initial': 'd85932ac8c3e4825',
    'scim 0002-elements-by-tenant': 'expand:6e760b7fa',
    'scim 0003-hosts': 'expand:c467e2471',
    'scim 0004-event-order': 'expand:4bd63aeb6',
    'scim 0005-event-age': 'expand:10ec6438b',
    'scim 0006-event-sets': 'expand:1eb083d6c',
    'scim 0007-group-names': 'expand:b41031175',
    'scim 0008-client-secrets': 'expand:1491e0d4e',
    'scim 0009-activity': 'expand:574d3a776',
    'scim 0010-inactive-users': 'expand:97534b1b3',
  },
  postgres: {
    'flow 0001-initial': '3b6c7b1c15289401',
    'flow 0002-event-rows': 'e3b0c44298fc1c14',
    'flow 0003-webhook-names': '99d33044339ff2db',
    'flow 0004-token-epoch': '9de92fc1ccd7d687',
    'flow 0005-collections': '860ba2a3ab636fc9',
    'flow 0006-job-lanes': '98f519a315760d50',
    'flow 0007-job-fences': 'expand:18e438134',
    'flow 0008-job-rests': 'expand:4388e7085',
    'flow 0009-record-owners': 'expand:cf8e6554a',
    'flow 0010-audit-records': 'expand:b7eabd647',
    'flow 0011-flow-versions': 'expand:c2beeb110',
    'flow 0012-schedules': 'expand:cecccd2f3',
    'flow 0013-job-traces': 'expand:6fab46aa4',
    'flow 0014-run-traces': 'expand:cf2c849a8',
    'flow 0015-job-results': 'expand:9a7799f3d',
    'flow 0016-job-turns': 'expand:d6be6b36d',
    'flow 0017-job-chats': 'expand:f16297fc7',
    'flow 0018-processes': 'expand:72dac6436',
    'flow 0019-agent-keys': 'expand:4667ada1d',
    'flow 0020-budgets': 'expand:658680a39',
    'flow 0021-held-jobs': 'expand:7538a610b',
    'scim 0001-initial': '92f3c614cfb01654',
    'scim 0002-elements-by-tenant': 'expand:e1291ac31',
    'scim 0003-hosts': 'expand:b0e8e4b5b',
    'scim 0004-event-order': 'expand:4bd63aeb6',
    'scim 0005-event-age': 'expand:10ec6438b',
    'scim 0006-event-sets': 'expand:1eb083d6c',
    'scim 0007-group-names': 'expand:0109d2f9a',
    'scim 0008-client-secrets': 'expand:7a2de651b',
    'scim 0009-activity': 'expand:8499db1e5',
    'scim 0010-inactive-users': 'expand:97534b1b3',
  },
}

function defineMigrations(
  name: 'sqlite' | 'postgres',
  make: () => Promise<TestDatabase>,
  open: Open,
) {
  describe(`migrations: ${name}`, () => {
    let database: TestDatabase
    beforeEach(async () => {
      database = await make()
    })
    afterEach(() => database.close())

    test('status and plan list missing steps and change nothing', async () => {
      const { db } = database
      const steps = [
        '0001-initial',
        '0002-elements-by-tenant',
        '0003-hosts',
        '0004-event-order',
        '0005-event-age',
        '0006-event-sets',
        '0007-group-names',
        '0008-client-secrets',
        '0009-activity',
        '0010-inactive-users',
      ]
      const all = (applied: boolean) => steps.map((id) => ({ id, applied }))
      expect(await scimMigrationStatus(db)).toEqual(all(false))
      const plan = await scimMigrationPlan(db)
      expect(plan.join('\n')).toContain('create table scim_user')
      expect(plan.join('\n')).not.toContain('flow_')
      expect(await tables(db)).toEqual([])
      await migrateScim(db)
      expect(await scimMigrationStatus(db)).toEqual(all(true))
      expect(await scimMigrationPlan(db)).toEqual([])
    })

    test('a user of SCIM alone gets no flow tables, and the other way round', async () => {
      await migrateScim(database.db)
      expect((await tables(database.db)).filter((table) => table.startsWith('flow_'))).toEqual([])
      await migrateFlow(database.db)
      expect(await flowMigrationStatus(database.db)).toEqual([
        { id: '0001-initial', applied: true },
        { id: '0002-event-rows', applied: true },
        { id: '0003-webhook-names', applied: true },
        { id: '0004-token-epoch', applied: true },
        { id: '0005-collections', applied: true },
        { id: '0006-job-lanes', applied: true },
        { id: '0007-job-fences', applied: true },
        { id: '0008-job-rests', applied: true },
        { id: '0009-record-owners', applied: true },
        { id: '0010-audit-records', applied: true },
        { id: '0011-flow-versions', applied: true },
        { id: '0012-schedules', applied: true },
        { id: '0013-job-traces', applied: true },
        { id: '0014-run-traces', applied: true },
        { id: '0015-job-results', applied: true },
        { id: '0016-job-turns', applied: true },
        { id: '0017-job-chats', applied: true },
        { id: '0018-processes', applied: true },
        { id: '0019-agent-keys', applied: true },
        { id: '0020-budgets', applied: true },
        { id: '0021-held-jobs', applied: true },
      ])
      expect(await flowMigrationPlan(database.db)).toEqual([])
    })

    test('running them again changes nothing', async () => {
      await migrateScim(database.db)
      const before = await tables(database.db)
      await migrateScim(database.db)
      expect(await tables(database.db)).toEqual(before)
    })

    test('starters at the same time wait for each other', async () => {
      const others = [open(database.address), open(database.address)]
      await Promise.all([database.db, ...others].map((db) => migrateFlow(db)))
      const { rows } = await sql`select id from x_migration`.execute(database.db)
      expect(rows).toHaveLength(
        Object.keys(RELEASED[name]).filter((id) => id.startsWith('flow ')).length,
      )
      await Promise.all(others.map((db) => db.destroy()))
    })

    test('a database of a newer version is refused and not changed', async () => {
      await migrateScim(database.db)
      await sql`insert into x_migration (schema_name, id, checksum, applied_at)
        values ('scim', '9999-later', 'x', 'now')`.execute(database.db)
      await expect(migrateScim(database.db)).rejects.toMatchObject({ code: 'unknown' })
    })

    test('SH-75 a schema that is up to date needs no right to write', async () => {
      await migrateScim(database.db)
      const address =
        name === 'sqlite'
          ? database.address
          : `${database.address}&options=-c%20default_transaction_read_only%3Don`
      const reading = open(address)
      if (name === 'sqlite') await sql`pragma query_only = on`.execute(reading)
      await expect(migrateScim(reading)).resolves.toBeUndefined()
      await reading.destroy()
    })

    test('SH-75 an expanding step of a newer version is reported, and the process starts', async () => {
      await migrateScim(database.db)
      await sql`insert into x_migration (schema_name, id, checksum, applied_at)
        values ('scim', '9999-later', 'expand:x', 'now')`.execute(database.db)
      const told: string[] = []
      await migrateScim(database.db, { onNewer: (message) => told.push(message) })
      expect(told).toEqual([
        'The database has the scim migration 9999-later of a newer version; it is compatible',
      ])
    })

    test('SH-71 SH-76 a database of the first schema gets its new keys and tenants, also from older writers', async () => {
      const { db } = database
      await migrate(db, { name: 'scim', migrations: [initialScim] })
      const add = (
        seq: number,
        userName: string,
        key: string,
      ) => sql`insert into scim_user (tenant, id,
        user_name, user_name_key, created, modified, version, lists, search, data)
        values ('acme', ${`u${seq}`}, ${userName}, ${key}, 0, 0, 1, '', '{"title":"οδος"}', '{"title":"ΟΔΟΣ"}')`
      await add(1, 'ΟΔΟΣ', 'οδος').execute(db)
      await add(2, 'λόγοσ', 'λόγοσ').execute(db)
      await add(3, 'λόγος', 'λόγος').execute(db)
      const element = () => sql`insert into scim_user_element (user_seq, attr, ord, value_key)
        select seq, 'emails', 0, 'ος@corp.example' from scim_user where id = 'u1'`
      await element().execute(db)
      await migrateScim(db)
      const store = createScimStore(db)
      const find = async (filter: string): Promise<string[]> => {
        const resolved = resolveFilter(parseFilter(filter), createSchemas().User)
        if (typeof resolved === 'boolean') throw new TypeError(filter)
        const query = { filter: resolved, limit: 10, withTotal: true }
        return (await store.users.list('acme', query)).records.map(({ id }) => id)
      }
      expect(await find('userName eq "οδοσ"')).toEqual(['u1'])
      expect(await find('title eq "ΟΔΟΣ"')).toEqual(['u1', 'u2', 'u3'])
      expect(await find('emails.value co "οσ@"')).toEqual(['u1'])
      // The name that is taken in its new form keeps its old key, and nobody is lost.
      expect(await find('userName sw "λόγο"')).toEqual(['u2', 'u3'])
      await sql`delete from scim_user_element`.execute(db)
      await element().execute(db)
      const { rows } = await sql`select tenant from scim_user_element`.execute(db)
      expect(rows).toEqual([{ tenant: 'acme' }])
    })

    test('a step that was applied with other statements is refused', async () => {
      await migrateScim(database.db)
      await sql`update x_migration set checksum = 'x'`.execute(database.db)
      const refused = migrateScim(database.db)
      await expect(refused).rejects.toBeInstanceOf(MigrationError)
      await expect(refused).rejects.toMatchObject({ code: 'changed' })
    })

    test('a step that fails leaves nothing behind', async () => {
      await sql`create table scim_token (other text)`.execute(database.db)
      await expect(migrateScim(database.db)).rejects.toThrow(/scim_token/)
      expect(await tables(database.db)).toEqual(['scim_token'])
    })

    test('the statements of released steps are never changed', async () => {
      await migrateScim(database.db)
      await migrateFlow(database.db)
      const { rows } = await sql<{ step: string; checksum: string }>`
        select schema_name || ' ' || id as step, checksum from x_migration order by 1`.execute(
        database.db,
      )
      const steps = rows.map(({ step, checksum }) => [step, checksum.slice(0, 16)])
      expect(Object.fromEntries(steps)).toEqual(RELEASED[name])
    })

    test('FL-112 jobs that wait and run keep their turns, and older processes count too', async () => {
      const { db } = database
      await migrate(db, { name: 'flow', migrations: FLOW_SCHEMA.migrations.slice(0, 15) })
      const insert = (id: string, user: string | null, state: string, position: number) =>
        sql`insert into flow_job (id, flow_id, user_id, request, resumable, created_at, state, attempts,
          crashes, cancel_requested, position, max_running_per_user, lane, question, answer) values (${id},
          'f', ${user}, '{}', 1, 1, ${state}, 0, 0, 0, ${position}, 2, '', 'null', 'null')`.execute(
          db,
        )
      for (const [n, id] of ['a1', 'a2', 'a3'].entries()) await insert(id, 'a', 'queued', n + 1)
      await insert('a0', 'a', 'running', 0)
      await insert('b1', 'b', 'queued', 4)
      await migrateFlow(db)
      // A process of the version before queues one more.
      await insert('b2', 'b', 'queued', 5)
      const { queue } = createJobStore(db)
      const claimed = []
      for (let n = 0; n < 5; n += 1)
        claimed.push((await queue.claim(`p/${n}`, new Date(9e12), new Date()))?.id)
      expect(claimed).toEqual(['b1', 'a1', 'b2', undefined, undefined])
    })

    test('a database of the first released schema keeps what it has', async () => {
      const { db } = database
      await migrate(db, { name: 'flow', migrations: [initial] })
      await sql`insert into flow_job_event (job_id, seq, event, data) values
        ('b', 1, 'end', '{}'), ('a', 10, 'end', '{}'), ('a', 2, 'token', ${'x'.repeat(5000)})`.execute(
        db,
      )
      await migrateFlow(db)
      const { log } = createJobStore(db)
      expect(await log.read('a', -1, 10)).toEqual([
        { seq: 2, event: 'token', data: 'x'.repeat(5000) },
        { seq: 10, event: 'end', data: '{}' },
      ])
      await expect(log.append('b', [{ seq: 1, event: 'end', data: '{}' }])).rejects.toMatchObject({
        constraint: 'event.seq',
      })
      expect(await flowMigrationPlan(db)).toEqual([])
    })

    test('AB-64 users of an older database begin with token epoch 0', async () => {
      const { db } = database
      await migrate(db, { name: 'flow', migrations: [initial, eventRows, webhookNames] })
      await sql`insert into flow_user (id, username, username_key, username_fold, is_active,
        is_superuser, created_at, updated_at)
        values (${idOf('1')}, 'ada', 'ada', 'ada', 1, 0, 0, 0)`.execute(db)
      await migrateFlow(db)
      const { users } = createFlowStore(db)
      expect(await users.get(idOf('1'))).toMatchObject({ username: 'ada', tokenEpoch: 0 })
      expect(await users.update(idOf('1'), { tokenEpoch: 3 })).toMatchObject({ tokenEpoch: 3 })
    })

    test('of the flows that share the name of a webhook the oldest keeps it', async () => {
      const { db } = database
      await migrate(db, { name: 'flow', migrations: [initial, eventRows] })
      const rows = [
        ['1', 'ada', 'orders', '{"nodes":[]}', 0],
        ['2', 'bob', 'orders', '{"nodes":[{"id":"Webhook-1"}]}', 1],
        ['3', 'eve', 'orders', '{"nodes":[{"id":"Webhook-1"}]}', 0],
        ['4', 'eve', 'other', null, 1],
      ] as const
      for (const [id, user, endpoint, data, webhook] of rows)
        await sql`insert into flow_flow (id, user_id, name, endpoint_name, data, webhook,
          is_component, locked, mcp_enabled, access_type, created_at, updated_at)
          values (${idOf(id)}, ${user}, ${id}, ${endpoint}, ${data}, ${webhook},
          0, 0, 0, 'PRIVATE', 0, 0)`.execute(db)
      await migrateFlow(db)
      const { flows } = createFlowStore(db)
      expect((await flows.findByWebhookName('orders'))?.id).toBe(idOf('2'))
      expect((await flows.findByWebhookName('other'))?.id).toBe(idOf('4'))
      expect((await flows.get(idOf('3')))?.webhookName).toBeNull()
    })
  })
}

defineMigrations('sqlite', fileDatabase, (address) => openSqlite(address))
describe('on a real server', needs('postgres'), () => {
  defineMigrations('postgres', postgresDatabase, (address) => openPostgres(address))
})

async function tables(db: Kysely<unknown>): Promise<string[]> {
  return (await db.introspection.getTables()).map(({ name }) => name).toSorted()
}
