// Runs each night (.ci/night).
import { needs } from '@x/test-kit/needs'
import { Pool } from 'pg'
import { sql } from 'kysely'
import { createScimService, type ScimHandler, type ScimStore } from '@x/scim-core'
import { openPostgres } from '@x/store-kysely/postgres'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresDatabase, type TestDatabase } from './databases.ts'
import { addMember, BASE, handlerOver, idOf, removeMember, request, TOKEN } from './scim-handler.ts'

const TENANT = 'default'

/** Each request of a directory comes on a connection of its own. */
function open(address: string, maxConnections = 20) {
  return openPostgres<unknown>(address, { maxConnections, connectTimeoutMs: 60_000 })
}

function handlerRemoving(store: ScimStore): ScimHandler {
  return createScimService({
    store,
    baseUrl: BASE,
    auth: { kind: 'token', token: TOKEN },
    deleteUser: 'remove',
  }).handle
}

describe('SCIM under contention on PostgreSQL', needs('postgres'), () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await postgresDatabase()
    await migrateScim(database.db)
  })
  afterAll(() => database.close())

  const users = async (handler: ScimHandler, mark: string, count: number): Promise<string[]> => {
    const names = Array.from({ length: count }, (_, n) => `${mark}${n}@corp.example`)
    const made = await Promise.all(
      names.map(async (userName) => idOf(await handler(request('POST', '/Users', { userName })))),
    )
    return made
  }
  const group = async (handler: ScimHandler, displayName: string, members: string[] = []) =>
    idOf(
      await handler(
        request('POST', '/Groups', { displayName, members: members.map((value) => ({ value })) }),
      ),
    )

  test('SF-21 of two changes that close a circle of groups together one is refused', async () => {
    const db = open(database.address)
    const handler = createScimService({
      store: createScimStore(db),
      baseUrl: BASE,
      auth: { kind: 'token', token: TOKEN },
      nestedGroups: true,
    }).handle
    for (let n = 0; n < 20; n += 1) {
      const [low, deep] = [await group(handler, `low ${n}`), await group(handler, `deep ${n}`)]
      const above = [
        await group(handler, `over low ${n}`, [low]),
        await group(handler, `over deep ${n}`, [deep]),
      ] as const
      const answers = await Promise.all([
        handler(addMember(low, above[1])),
        handler(addMember(deep, above[0])),
      ])
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400])
    }
    await db.destroy()
  })

  test('AB-85 SH-61 300 pairs of "remove the member" and "delete the user" at once are all 2xx', async () => {
    const db = open(database.address)
    const handler = handlerRemoving(createScimStore(db))
    const ids = await users(handler, 'pair', 300)
    const id = await group(handler, 'pairs', ids)
    const answers = await Promise.all(
      ids.flatMap((user, n) => {
        const leave = removeMember(id, user)
        const end = request('DELETE', `/Users/${user}`)
        return (n % 2 === 0 ? [leave, end] : [end, leave]).map((each) => handler(each))
      }),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 204]))
    const { members } = createScimStore(db)
    expect(await members.count(TENANT, id)).toBe(0)
    await db.destroy()
  })

  test('SH-61 a DELETE that meets the removal of the member takes its locks in the same order', async () => {
    const db = open(database.address)
    const store = createScimStore(db)
    const handler = handlerRemoving(store)
    const [user = ''] = await users(handler, 'order', 1)
    const id = await group(handler, 'order', [user])
    let deleted: Promise<Response> | undefined
    await store.transaction(TENANT, async (tx) => {
      await tx.groups.get(TENANT, id, { forUpdate: true })
      deleted = handler(request('DELETE', `/Users/${user}`))
      // Time for the DELETE to take every lock that it can get.
      await sql`select pg_sleep(0.2)`.execute(db)
      expect(await tx.members.remove(TENANT, id, [user])).toEqual([user])
    })
    expect((await deleted)?.status).toBe(204)
    await db.destroy()
  })

  test('SH-62 with `serializable` as the default isolation 40 members are added at once, and all stay', async () => {
    const db = open(`${database.address}&options=-c%20default_transaction_isolation%3Dserializable`)
    const { rows } = await sql<{ isolation: string }>`
        select current_setting('transaction_isolation') as isolation`.execute(db)
    expect(rows).toEqual([{ isolation: 'serializable' }])
    const handler = handlerOver(createScimStore(db))
    const ids = await users(handler, 'serial', 40)
    const id = await group(handler, 'serials')
    const answers = await Promise.all(ids.map((user) => handler(addMember(id, user))))
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200))
    const { members } = createScimStore(db)
    expect((await members.has(TENANT, id, ids)).size).toBe(40)
    await db.destroy()
  })

  test('AB-86 SH-66 a race of DELETE and add leaves no membership of a user who is gone', async () => {
    const db = open(database.address)
    const handler = handlerRemoving(createScimStore(db))
    const ids = await users(handler, 'race', 150)
    const id = await group(handler, 'races')
    const answers = await Promise.all(
      ids.flatMap((user) => [
        handler(addMember(id, user)),
        handler(request('DELETE', `/Users/${user}`)),
      ]),
    )
    for (const { status } of answers) expect([200, 204, 400]).toContain(status)
    const { rows } = await sql`select member_id from scim_member as m where not exists
        (select 1 from scim_user as u where u.tenant = m.tenant and u.id = m.member_id)
        and m.group_id = ${id}`.execute(db)
    expect(rows).toEqual([])
    await db.destroy()
  })

  test('SH-66 a DELETE waits for the transaction that adds the user to a group', async () => {
    const db = open(database.address)
    const store = createScimStore(db)
    const handler = handlerRemoving(store)
    const [user = ''] = await users(handler, 'held', 1)
    const id = await group(handler, 'held')
    let deleted: Promise<Response> | undefined
    await store.transaction(TENANT, async (tx) => {
      expect((await tx.users.briefs(TENANT, [user], { keep: true })).size).toBe(1)
      deleted = handler(request('DELETE', `/Users/${user}`))
      // The DELETE has locked what it finds before it comes to the user, who is kept here.
      await sql`select pg_sleep(0.2)`.execute(db)
      await tx.members.add(TENANT, id, [user], new Date())
    })
    expect((await deleted)?.status).toBe(204)
    expect(await store.members.count(TENANT, id)).toBe(0)
    await db.destroy()
  })

  test('SH-63 a statement that takes too long and a connection ended while idle are 503', async () => {
    const slow = open(`${database.address}&options=-c%20statement_timeout%3D200`, 1)
    const store = createScimStore(slow)
    const { db } = database
    const handler = handlerOver(store)
    const [id = ''] = await users(handlerOver(createScimStore(db)), 'slow', 1)
    await db.transaction().execute(async (tx) => {
      await sql`select id from scim_user where id = ${id} for update`.execute(tx)
      const answer = await handler(request('DELETE', `/Users/${id}`))
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    })
    await slow.destroy()

    const idle = open(
      `${database.address}&options=-c%20idle_in_transaction_session_timeout%3D100`,
      1,
    )
    const waiting = createScimStore(idle)
    const failure = await waiting
      .transaction(TENANT, async (tx) => {
        await tx.users.get(TENANT, id)
        await sql`select pg_sleep(0.5)`.execute(db)
        await tx.users.get(TENANT, id)
      })
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'StoreUnavailableError', retryable: false })
    expect(await waiting.users.get(TENANT, id)).not.toBeNull()
    await idle.destroy()
  })

  test('AB-87 SH-60 over a pool of the host a created user can be read, changed and listed', async () => {
    const parsed: number[] = []
    const pool = new Pool({
      connectionString: database.address,
      types: {
        getTypeParser(oid: number) {
          parsed.push(oid)
          return () => 'of the host'
        },
      },
    })
    pool.on('error', () => undefined)
    const handler = handlerOver(createScimStore(openPostgres<unknown>(pool)))
    const made = await handler(request('POST', '/Users', { userName: 'pool@corp.example' }))
    const id = await idOf(made)
    const patch = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    }
    expect((await handler(request('PATCH', `/Users/${id}`, patch))).status).toBe(200)
    const read = await handler(request('GET', `/Users/${id}`))
    expect(await read.json()).toMatchObject({ active: false, userName: 'pool@corp.example' })
    const list = await handler(request('GET', '/Users?filter=userName%20eq%20"pool@corp.example"'))
    expect(await list.json()).toMatchObject({ totalResults: 1 })
    // The host's own queries are read as the host says.
    expect(parsed).toEqual([])
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 'of the host' }])
    await pool.end()
  })
})
