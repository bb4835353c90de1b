import { createFlowService } from '@x/flow-service'
import { createMemoryBlobStore } from '@x/flow-service/memory'
import { createScimHandler } from '@x/scim-core'
import { isSchemaError } from '@x/store-kysely'
import { createFlowStore, createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { createScimStore } from '@x/store-kysely/scim'
import { openSqlite } from '@x/store-kysely/sqlite'
import { cheapHasher } from '@x/test-kit'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { postgresDatabase, postgresUrl } from './databases.ts'

const KEY = 'a-key-of-at-least-32-characters-of-text'
const SENTENCE =
  'The database has no table flow_user: call await migrateFlow(db) before the first request.'

function service(db: ReturnType<typeof openSqlite>) {
  const reported: unknown[] = []
  const engine = createFlowService({
    store: createFlowStore(db),
    files: createMemoryBlobStore(),
    jobs: createJobStore(db),
    passwords: cheapHasher,
    secretKey: KEY,
    onError: (error) => void reported.push(error),
  })
  const ask = async (path: string, init?: RequestInit) => {
    const response = await engine.handler(new Request(`http://host.example${path}`, init))
    return [response.status, await response.json(), response.headers.get('retry-after')] as const
  }
  const signIn = () => {
    const body = new URLSearchParams({ username: 'ada', password: 'secret' })
    return ask('/api/v1/login', { method: 'POST', body })
  }
  return { engine, ask, signIn, reported }
}

describe('HO-50: a database that is not migrated', () => {
  test('answers 503, says why once, and is ready after its migration', async () => {
    const db = openSqlite(':memory:')
    const { engine, ask, signIn, reported } = service(db)
    for (let count = 0; count < 2; count += 1)
      expect(await signIn()).toEqual([503, { detail: 'The database is not ready' }, '5'])
    expect(reported.map((error) => [isSchemaError(error), (error as Error).message])).toEqual([
      [true, SENTENCE],
    ])
    expect(reported[0]).toMatchObject({ code: 'schema_missing', migrate: 'migrateFlow' })
    expect(await ask('/health/ready')).toEqual([
      503,
      { status: 'not ready', failed: 'migrations' },
      '5',
    ])
    expect((await ask('/health_check'))[0]).toBe(500)
    expect(await ask('/health')).toEqual([200, { status: 'ok' }, null])
    await migrateFlow(db)
    expect(await ask('/health/ready')).toEqual([200, { status: 'ready' }, null])
    expect((await signIn())[0]).toBe(401)
    expect(reported).toHaveLength(1)
    await engine.close()
    await db.destroy()
  })

  test('that is older is told as such', async () => {
    const db = openSqlite(':memory:')
    await migrateFlow(db)
    await sql`alter table flow_user drop column token_epoch`.execute(db)
    const { engine, signIn, reported } = service(db)
    expect(await signIn()).toEqual([503, { detail: 'The database is not ready' }, '5'])
    expect(reported[0]).toMatchObject({
      code: 'schema_outdated',
      message:
        'The tables of the database are older than this version: call await migrateFlow(db) before the first request.',
    })
    await sql`delete from x_migration where id like '0017%'`.execute(db)
    expect(
      await createFlowStore(db)
        .ping()
        .catch((error: unknown) => error),
    ).toMatchObject({
      code: 'schema_outdated',
    })
    await engine.close()
    await db.destroy()
  })

  test('SCIM answers 503 in its form', async () => {
    const db = openSqlite(':memory:')
    const reported: unknown[] = []
    const scim = createScimHandler({
      store: createScimStore(db),
      baseUrl: 'https://app.example/scim/v2',
      auth: { kind: 'token', token: KEY },
      onError: (error) => void reported.push(error),
    })
    const headers = { authorization: `Bearer ${KEY}` }
    for (let count = 0; count < 2; count += 1) {
      const response = await scim(new Request('https://app.example/scim/v2/Users', { headers }))
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await response.json()).toMatchObject({ status: '503' })
    }
    expect(reported).toHaveLength(1)
    expect(reported[0]).toMatchObject({ code: 'schema_missing', migrate: 'migrateScim' })
    await db.destroy()
  })

  test.skipIf(postgresUrl === null)('on PostgreSQL too', async () => {
    const database = await postgresDatabase()
    const store = createFlowStore(database.db)
    expect(await store.users.findSuperuser().catch((error: unknown) => error)).toMatchObject({
      code: 'schema_missing',
      message: SENTENCE,
    })
    expect(await store.ping().catch((error: unknown) => error)).toMatchObject({ message: SENTENCE })
    await database.close()
  })
})

test('HO-51 jobs in memory beside a SQL store are told once, unless they are meant', async () => {
  const db = openSqlite(':memory:')
  await migrateFlow(db)
  const reported: string[] = []
  const open = (jobs?: 'memory') =>
    createFlowService({
      store: createFlowStore(db),
      files: createMemoryBlobStore(),
      secretKey: KEY,
      onError: (error) => void reported.push(String(error)),
      ...(jobs === undefined ? {} : { jobs }),
    })
  await open().close()
  await open('memory').close()
  expect(reported).toEqual([
    'Error: Jobs are kept in memory: pass jobs: createJobStore(db) to keep them.',
  ])
  await db.destroy()
})
