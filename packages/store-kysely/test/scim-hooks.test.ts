import { needs } from '@x/test-kit/needs'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import {
  createScimService,
  isScimReentry,
  type GroupWrite,
  type OnGroupWrite,
  type OnUserWrite,
  type ScimOptions,
  type ScimService,
  type ScimStore,
} from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { createScimStore, migrateScim } from '@x/store-kysely/scim'
import { CamelCasePlugin, sql } from 'kysely'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  fileDatabase,
  hostPoolDatabase,
  memoryDatabase,
  postgresDatabase,
  postgresUrl,
  type TestDatabase,
} from './databases.ts'
import { HOST_TABLES, scanTables } from './scan-tables.ts'
import { BASE, TOKEN } from './scim-handler.ts'

const TENANT = 'default'

interface Hooks {
  readonly onUserWrite?: OnUserWrite<never>
  readonly onGroupWrite?: OnGroupWrite<never>
}

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

function sqlStore(open: () => Promise<TestDatabase>) {
  return async (hooks: Hooks): Promise<ScimStore> => {
    const database = await open()
    closing.push(() => database.close())
    await migrateScim(database.db)
    return createScimStore(database.db, hooks as object)
  }
}

/** A scan store over three tables of a host. */
async function hostTables(hooks: Hooks): Promise<ScimStore> {
  const database = await fileDatabase()
  closing.push(() => database.close())
  for (const table of HOST_TABLES) await sql.raw(table).execute(database.db)
  return scanTables(database.db, hooks as object)
}

type OpenStore = (hooks: Hooks) => Promise<ScimStore>
const kinds: [name: string, isThere: boolean, open: OpenStore][] = [
  ['memory', true, async (hooks) => createMemoryScimStore(hooks as object)],
  ['a SQLite file', true, sqlStore(fileDatabase)],
  ['SQLite in memory', true, sqlStore(memoryDatabase)],
  ['PostgreSQL', postgresUrl !== null, sqlStore(postgresDatabase)],
  ['PostgreSQL by a pool', postgresUrl !== null, sqlStore(hostPoolDatabase)],
  ['tables of a host', true, hostTables],
]

function serviceOver(store: ScimStore, options: Partial<ScimOptions> = {}) {
  const errors: unknown[] = []
  const service = createScimService({
    store,
    baseUrl: BASE,
    auth: { kind: 'token', token: TOKEN },
    onError: (error) => errors.push(error),
    ...options,
  })
  return { service, errors }
}

const user = (name: string): object => ({ userName: `${name}@corp.example` })

const there = kinds.filter(([, isThere]) => isThere)

describe.each(there)('hooks on %s', (_name, _isThere, open) => {
  test('SH-12 group changes are reported in order, each id once', async () => {
    const seen: GroupWrite[] = []
    const users: string[] = []
    const store = await open({
      onGroupWrite: (change) => void seen.push(change),
      onUserWrite: ({ kind }) => void users.push(`${kind} after ${seen.length}`),
    })
    const { service } = serviceOver(store, { deleteUser: 'remove' })
    const ids: string[] = []
    for (const name of ['a', 'b', 'c'])
      ids.push((await service.users.create(TENANT, user(name))).id)
    const [a = '', b = '', c = ''] = ids
    const text = (): unknown[] =>
      seen
        .splice(0)
        .map((change) =>
          change.kind === 'members'
            ? [change.displayName, change.added, change.removed]
            : [change.kind, (change.before ?? change.after).displayName],
        )
    const group = await service.groups.create(TENANT, {
      displayName: 'one',
      members: [{ value: a }, { value: b }],
    })
    expect(text()).toEqual([
      ['create', 'one'],
      ['one', [a, b], []],
    ])
    await service.groups.patch(TENANT, group.id, [
      { op: 'replace', path: 'displayName', value: 'two' },
      { op: 'add', path: 'members', value: [{ value: c }] },
      { op: 'remove', path: `members[value eq "${a}"]` },
      { op: 'remove', path: `members[value eq "${b}"]` },
      { op: 'add', path: 'members', value: [{ value: b }] },
    ])
    expect(text()).toEqual([
      ['one', [c], [a]],
      ['update', 'one'],
    ])
    await service.groups.patch(TENANT, group.id, [
      { op: 'add', path: 'members', value: [{ value: a }] },
    ])
    expect(text()).toEqual([['two', [a], []]])
    users.splice(0)
    await service.users.delete(TENANT, a)
    expect(users).toEqual(['remove after 1'])
    expect(text()).toEqual([['two', [], [a]]])
    await service.groups.delete(TENANT, group.id)
    const removal = text()
    expect(removal.at(-1)).toEqual(['remove', 'two'])
    expect(removal[0]).toMatchObject(['two', [], expect.arrayContaining([b, c])])
    expect(removal).toHaveLength(2)
  })

  test('SH-12 a user who becomes a tombstone leaves each group before onUserWrite', async () => {
    const seen: unknown[] = []
    const store = await open({
      onGroupWrite: (change) =>
        void (change.kind === 'members' && seen.push([change.displayName, change.removed])),
      onUserWrite: ({ kind }) => void seen.push(kind),
    })
    const { service } = serviceOver(store, { deleteUser: 'tombstone' })
    const { id } = await service.users.create(TENANT, user('a'))
    for (const displayName of ['one', 'two']) {
      await service.groups.create(TENANT, { displayName, members: [{ value: id }] })
    }
    seen.splice(0)
    await service.users.delete(TENANT, id)
    expect(seen.slice(0, 2)).toEqual(
      expect.arrayContaining([
        ['one', [id]],
        ['two', [id]],
      ]),
    )
    expect(seen.slice(2)).toEqual(['tombstone'])
  })

  test(
    'SH-12 a group of 1,200 is reported in chunks of at most 1,000 ids',
    { tags: ['long'] },
    async () => {
      const seen: GroupWrite[] = []
      const store = await open({ onGroupWrite: (change) => void seen.push(change) })
      const { service } = serviceOver(store)
      const group = await service.groups.create(TENANT, { displayName: 'large' })
      const ids = Array.from({ length: 1_200 }, (_, n) => `m${String(n).padStart(4, '0')}`)
      await store.transaction(TENANT, async (tx) => {
        for (const id of ids) {
          await tx.users.insert(TENANT, {
            tenant: TENANT,
            id,
            externalId: null,
            userName: id,
            userNameKey: id,
            active: true,
            data: '{}',
            created: new Date(),
            lastModified: new Date(),
            version: 1,
            deletedAt: null,
          })
        }
        await tx.members.add(TENANT, group.id, ids, new Date())
      })
      const chunks = (): string[][] =>
        seen
          .splice(0)
          .flatMap((change) =>
            change.kind === 'members' ? [[...change.added, ...change.removed]] : [],
          )
      const added = chunks()
      expect(added.map(({ length }) => length)).toEqual([1_000, 200])
      expect(added.flat().toSorted()).toEqual(ids)
      await service.groups.delete(TENANT, group.id)
      const removed = chunks()
      expect(removed.every(({ length }) => length <= 1_000)).toBe(true)
      expect(removed.flat().toSorted()).toEqual(ids)
    },
  )

  test('SH-11 an error of a store hook rolls everything back', async () => {
    const refused = new Error('the host has no such role')
    const store = await open({
      onGroupWrite({ kind }) {
        if (kind === 'members') throw refused
      },
    })
    const { service, errors } = serviceOver(store)
    const { id } = await service.users.create(TENANT, user('a'))
    const group = { displayName: 'g', members: [{ value: id }] }
    await expect(service.groups.create(TENANT, group)).rejects.toMatchObject({ code: 'internal' })
    expect(errors).toEqual([refused])
    expect((await service.groups.list(TENANT)).totalResults).toBe(0)
    await service.groups.create(TENANT, { displayName: 'g' })
  })

  test('SH-13 beforeCommit has the store of the transaction, its handle and the members', async () => {
    const handles = new Set<unknown>()
    const seen: unknown[] = []
    const store = await open({ onGroupWrite: (_change, tx) => void handles.add(tx) })
    const { service } = serviceOver(store, {
      async beforeCommit(change, { store: tx, handle, requestId, members }) {
        if (change.resourceType !== 'Group') return
        const id = String(change.after?.['id'])
        const parts = []
        for await (const part of members()) parts.push(part)
        expect(handles.has(handle)).toBe(true)
        expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
        seen.push([
          (await tx.groups.get(TENANT, id))?.displayName,
          await tx.members.count(TENANT, id),
          parts,
        ])
      },
    })
    const { id } = await service.users.create(TENANT, user('a'))
    await service.groups.create(TENANT, { displayName: 'g', members: [{ value: id }] })
    expect(seen).toEqual([['g', 1, [{ added: [id], removed: [] }]]])
  })

  const calls: [
    name: string,
    call: (service: ScimService, store: ScimStore) => Promise<unknown>,
  ][] = [
    ['users.list', (service) => service.users.list(TENANT)],
    ['groups.create', (service) => service.groups.create(TENANT, { displayName: 'x' })],
    ['handle', (service) => service.handle(new Request(`${BASE}/Users`))],
    ['users.get', (_service, store) => store.users.get(TENANT, 'x')],
    ['members.count', (_service, store) => store.members.count(TENANT, 'x')],
    ['transaction', (_service, store) => store.transaction(TENANT, async () => undefined)],
  ]

  test('AB-80 SH-14 a hook that calls back is refused at once, and the next write works', async () => {
    let calling = false
    let made: { service: ScimService; store: ScimStore } | undefined
    let call: (typeof calls)[number][1] = () => Promise.resolve()
    const reenter = async (): Promise<void> => {
      if (calling && made !== undefined) await call(made.service, made.store)
    }
    const store = await open({ onUserWrite: reenter, onGroupWrite: reenter })
    const plain = serviceOver(store)
    const asked = serviceOver(store, {
      beforeCommit: async () => {
        await pause(5)
        await reenter()
      },
    })
    for (const { service, errors } of [plain, asked]) {
      made = { service, store }
      for (const [method, make] of calls) {
        calling = true
        call = make
        const failure = await service.groups
          .create(TENANT, { displayName: method })
          .catch((error: unknown) => error)
        expect(failure).toMatchObject({ code: 'internal' })
        const [error] = errors.splice(0)
        expect(isScimReentry(error)).toBe(true)
        expect(error).toMatchObject({
          method,
          message: `${method} was called inside a hook, on the store outside of its transaction. Use the store or the handle that the hook was given.`,
        })
        calling = false
        expect((await service.groups.list(TENANT)).totalResults).toBe(0)
      }
      const { id } = await service.groups.create(TENANT, { displayName: 'works' })
      await service.groups.delete(TENANT, id)
    }
  })

  test('SH-15 a hook that never ends is given up after 30 s, and the next write works', async () => {
    let hangs = true
    let started = (): void => undefined
    const begun = new Promise<void>((resolve) => (started = resolve))
    const store = await open({
      onGroupWrite: () => {
        if (!hangs) return undefined
        started()
        return new Promise<void>(() => undefined)
      },
    })
    const { service, errors } = serviceOver(store)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const refused = service.groups
        .create(TENANT, { displayName: 'hangs' })
        .catch((error: unknown) => error)
      await begun
      // Its clock begins behind the call of the hook.
      await nextTurn()
      await vi.advanceTimersByTimeAsync(30_000)
      expect(await refused).toMatchObject({ code: 'internal' })
    } finally {
      vi.useRealTimers()
    }
    expect(String(errors[0])).toBe(
      'Error: A hook has not ended after 30 s; its transaction is rolled back',
    )
    hangs = false
    await service.groups.create(TENANT, { displayName: 'works' })
    expect((await service.groups.list(TENANT)).totalResults).toBe(1)
  })

  test('SH-14 concurrent requests are not affected', async () => {
    const store = await open({ onUserWrite: () => pause(50) })
    const { service, errors } = serviceOver(store)
    const answers = await Promise.all([
      service.users.create(TENANT, user('a')),
      service.users.list(TENANT),
      service.users.create(TENANT, user('b')),
      service.groups.create(TENANT, { displayName: 'g' }),
    ])
    expect(answers).toHaveLength(4)
    expect(errors).toEqual([])
  })

  test('SH-14 work that outlives a hook may call the store when the hook has ended', async () => {
    let later: Promise<number> | undefined
    const { service } = serviceOver(await open({}), {
      beforeCommit() {
        later ??= pause(100).then(async () => (await service.users.list(TENANT)).totalResults)
      },
    })
    await service.users.create(TENANT, user('a'))
    expect(await later).toBe(1)
  })

  test('SH-17 the store and the handle of a transaction that has ended refuse every call', async () => {
    const store = await open({})
    let kept: ScimStore | undefined
    await store.transaction(TENANT, async (tx) => {
      kept = tx
      await tx.groups.get(TENANT, 'x')
    })
    const ended = { name: 'TypeError', message: 'The transaction has ended' }
    const record = {
      tenant: TENANT,
      id: 'late',
      externalId: null,
      displayName: 'late',
      displayNameKey: 'late',
      uniqueKey: 'late',
      data: '{}',
      created: new Date(),
      lastModified: new Date(),
      version: 1,
    }
    const insert = (): Promise<unknown> =>
      kept?.groups.insert(TENANT, record).catch((error: unknown) => error) ?? Promise.resolve()
    expect(await insert()).toMatchObject(ended)
    await store.transaction(TENANT, async () => {
      expect(await insert()).toMatchObject(ended)
    })
    expect(await store.groups.get(TENANT, 'late')).toBeNull()
  })
})

describe('waiting for a transaction ends', () => {
  test.each<[string, () => Promise<ScimStore>]>([
    ['memory', async () => createMemoryScimStore({ busyTimeoutMs: 100 })],
    ['a SQLite file', () => sqlStore(() => fileDatabase({ busyTimeoutMs: 100 }))({})],
  ])('SH-15 on %s with 503 and Retry-After', async (_name, open) => {
    const store = await open()
    const { service } = serviceOver(store)
    const post = (): Promise<Response> =>
      service.handle(
        new Request(`${BASE}/Groups`, {
          method: 'POST',
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
          body: JSON.stringify({ displayName: 'g' }),
        }),
      )
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const holder = store.transaction(TENANT, () => held)
    const answer = await post()
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    release()
    await holder
    expect((await post()).status).toBe(201)
  })

  test('SH-16 a request that has finished does not wait for the hook of another', async () => {
    const store = await sqlStore(fileDatabase)({})
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { service } = serviceOver(store, {
      beforeCommit: ({ after }) => (after?.['displayName'] === 'slow' ? held : undefined),
    })
    const ended: string[] = []
    const create = async (displayName: string): Promise<void> => {
      await service.groups.create(TENANT, { displayName })
      ended.push(displayName)
    }
    const quick = create('quick')
    const slow = create('slow')
    await quick
    expect(ended).toEqual(['quick'])
    release()
    await slow
    expect(ended).toEqual(['quick', 'slow'])
  })

  test(
    'SH-15 on a pool of the host that would wait for a connection without end',
    needs('postgres'),
    async () => {
      const { Pool } = await import('pg')
      const { openPostgres } = await import('@x/store-kysely/postgres')
      const database = await postgresDatabase()
      closing.push(() => database.close())
      await migrateScim(database.db)
      const pool = new Pool({ connectionString: database.address, max: 1 })
      pool.on('error', () => undefined)
      const db = openPostgres<unknown>(pool, { connectTimeoutMs: 200 })
      const store = createScimStore(db)
      const client = await pool.connect()
      await expect(store.users.get(TENANT, 'x')).rejects.toMatchObject({
        name: 'StoreUnavailableError',
      })
      client.release()
      expect(await store.users.get(TENANT, 'x')).toBeNull()
      await pool.end()
    },
  )
})

test('SH-14 an adopt that calls back is refused at once, and the next write works', async () => {
  let call: (() => Promise<unknown>) | undefined
  const adopt = async (): Promise<null> => {
    await call?.()
    return null
  }
  const { service, errors } = serviceOver(await sqlStore(fileDatabase)({ adopt } as Hooks))
  call = () => service.users.list(TENANT)
  const failure = await service.users.create(TENANT, user('a')).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'internal' })
  expect(errors).toMatchObject([{ name: 'ScimReentryError', method: 'users.list' }])
  call = undefined
  await service.users.create(TENANT, user('a'))
  expect(await service.users.list(TENANT)).toMatchObject({ totalResults: 1 })
})

test('SH-13 beforeCommit and beforeWrite are not given both', () => {
  const hook = (): void => undefined
  expect(() =>
    serviceOver(createMemoryScimStore(), { beforeCommit: hook, beforeWrite: hook }),
  ).toThrow(expect.objectContaining({ name: 'ScimConfigError', option: 'beforeCommit' }) as Error)
})

test('SH-74 a database with plugins or another schema is refused', async () => {
  const database = await memoryDatabase()
  const message =
    'createScimStore needs the database exactly as openSqlite or openPostgres returned it'
  expect(() => createScimStore(database.db.withSchema('b'))).toThrow(new TypeError(message))
  const withPlugin = database.db.withPlugin(new CamelCasePlugin())
  expect(() => createScimStore(withPlugin)).toThrow(new TypeError(message))
  await database.close()
})
