import { needs } from '@x/test-kit/needs'
import { createScimService, type ScimService } from '@x/scim-core'
import { createFlowService } from '@x/flow-service'
import { createMemoryBlobStore } from '@x/flow-service/memory'
import { isStoreUnavailable } from '@x/flow-engine/store'
import type { FlowStore } from '@x/flow-service/store'
import { migrateFlow } from '@x/store-kysely/flow'
import { linkUsers, type LinkedStores } from '@x/store-kysely/link'
import { openPostgres } from '@x/store-kysely/postgres'
import { migrateScim } from '@x/store-kysely/scim'
import { sql, type Kysely, type Transaction } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresDatabase, type TestDatabase } from './databases.ts'

const TENANT = 'default'
const OFF = [{ op: 'replace', path: 'active', value: false }]

const serviceOf = ({ scim }: LinkedStores): ScimService =>
  createScimService({
    store: scim,
    baseUrl: 'https://app.example/api/v1/scim/v2',
    auth: { kind: 'token', token: 'x' },
    deleteUser: 'remove',
  })

describe('linked users that both sides change at once', needs('postgres'), () => {
  let database: TestDatabase
  let db: Kysely<unknown>
  let stores: LinkedStores
  let service: ScimService
  beforeAll(async () => {
    database = await postgresDatabase()
    db = database.db
    await migrateScim(db)
    await migrateFlow(db)
    stores = linkUsers(db)
    service = serviceOf(stores)
  })
  afterAll(() => database.close())

  const made = async (userName: string): Promise<string> =>
    (await service.users.create(TENANT, { userName })).id
  const lock = async (tx: Transaction<unknown>, table: string, id: string): Promise<void> => {
    await sql`select id from ${sql.table(table)} where id = ${id} for update`.execute(tx)
  }
  /** Time for the other side to take every lock that it can get. */
  const others = (): Promise<unknown> => sql`select pg_sleep(0.2)`.execute(db)
  const flowRecord = async (id: string): Promise<Awaited<ReturnType<FlowStore['users']['get']>>> =>
    stores.flow.users.get(id)

  test(
    'SU-2 SH-62 a SCIM write repeats when the flow side of it meets a deadlock',
    { tags: ['long'] },
    async () => {
      const id = await made('deadlock@corp.example')
      const { patching } = await db.transaction().execute(async (tx) => {
        await lock(tx, 'flow_user', id)
        const started = service.users.patch(TENANT, id, OFF).catch((error: unknown) => error)
        await others()
        // PostgreSQL ends the transaction that waited first.
        await lock(tx, 'scim_user', id)
        return { patching: started }
      })
      expect(await patching).toMatchObject({ active: false })
      expect(await flowRecord(id)).toMatchObject({ isActive: false })
    },
  )

  test('SU-2 a flow write takes its locks in the order of a SCIM write', async () => {
    const changed = await made('changed@corp.example')
    const removed = await made('removed@corp.example')
    await service.groups.create(TENANT, { displayName: 'both', members: [{ value: removed }] })
    const { writing } = await db.transaction().execute(async (tx) => {
      for (const id of [changed, removed]) await lock(tx, 'scim_user', id)
      const { users } = stores.flow
      const started = Promise.allSettled([
        users.update(changed, { isActive: false }),
        users.remove(removed),
      ])
      await others()
      for (const id of [changed, removed]) await lock(tx, 'flow_user', id)
      return { writing: started }
    })
    expect(await writing).toMatchObject([{ value: { isActive: false } }, { value: true }])
    expect(await stores.scim.users.get(TENANT, changed)).toMatchObject({ active: false })
    expect(await stores.scim.users.get(TENANT, removed)).toBeNull()
  })

  test('AB-85 superusers whom the service and the directory change at once meet no deadlock', async () => {
    const engine = createFlowService({
      store: stores.flow,
      files: createMemoryBlobStore(),
      secretKey: 'a secret key of the tests, long enough',
      passwords: { hash: async (password) => password, verify: async () => true },
      onError: () => undefined,
    })
    const { users } = engine.services
    const admin = await users.create({
      username: 'admin@corp.example',
      password: null,
      isActive: true,
      isSuperuser: true,
    })
    const caller = { ...admin, via: 'host', record: admin } as const
    const ids = [await made('first@corp.example'), await made('second@corp.example')]
    for (const id of ids) await users.patch(caller, id, { isActive: true, isSuperuser: true })
    const ended = await Promise.allSettled(
      Array.from({ length: 20 }, (_, turn) => turn % 2 === 0).flatMap((isActive) =>
        ids.flatMap<Promise<unknown>>((id) => [
          users.patch(caller, id, { isActive, isSuperuser: true }),
          service.users.patch(TENANT, id, [{ ...OFF[0], op: 'replace', value: !isActive }]),
        ]),
      ),
    )
    expect(ended.filter(({ status }) => status === 'rejected')).toEqual([])
    for (const id of ids) {
      const [flow, scim] = [await flowRecord(id), await stores.scim.users.get(TENANT, id)]
      expect(flow?.isActive).toBe(scim?.active)
    }
    await engine.close()
  })

  test('SU-14 a flow write of other fields does not wait for the SCIM user', async () => {
    const id = await made('signs-in@corp.example')
    await db.transaction().execute(async (tx) => {
      await lock(tx, 'scim_user', id)
      const lastLoginAt = new Date()
      expect(await stores.flow.users.update(id, { lastLoginAt })).toMatchObject({ lastLoginAt })
    })
  })

  test('SU-2 each side reports a failure of the other one as its own', async () => {
    const id = await made('waits@corp.example')
    const impatient = openPostgres<unknown>(
      `${database.address}${database.address.includes('?') ? '&' : '?'}options=${encodeURIComponent('-c lock_timeout=50ms')}`,
    )
    const linked = linkUsers(impatient)
    await db.transaction().execute(async (tx) => {
      await lock(tx, 'scim_user', id)
      const refused = linked.flow.users.update(id, { isActive: false })
      expect(isStoreUnavailable(await refused.catch((error: unknown) => error))).toBe(true)
    })
    await db.transaction().execute(async (tx) => {
      await lock(tx, 'flow_user', id)
      const refused = serviceOf(linked).users.patch(TENANT, id, OFF)
      await expect(refused).rejects.toMatchObject({ code: 'unavailable', status: 503 })
    })
    await impatient.destroy()
  })

  test('SU-11 a name that a flow user takes at the same time is a conflict', async () => {
    const taken = 'taken@corp.example'
    const { creating } = await db.transaction().execute(async (tx) => {
      const at = new Date()
      await linkUsers(tx).flow.users.insert({
        id: '7c000000-0000-4000-8000-0000000000aa',
        username: taken,
        passwordHash: null,
        profileImage: null,
        storeApiKey: null,
        isActive: true,
        isSuperuser: false,
        tokenEpoch: 0,
        optins: null,
        createdAt: at,
        updatedAt: at,
        lastLoginAt: null,
      })
      const started = service.users.create(TENANT, { userName: taken })
      await others()
      return { creating: started.catch((error: unknown) => error) }
    })
    expect(await creating).toMatchObject({ code: 'uniqueness', status: 409 })
  })
})
