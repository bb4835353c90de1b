import { needs } from '@x/test-kit/needs'
import { spawn, type ChildProcess } from 'node:child_process'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createScimService, type OutboxRow, type ScimService } from '@x/scim-core'
import { createWebhooks, type Webhooks } from '@x/scim-core/outbound'
import { createScimStore, migrateScim, type SqlScimStore } from '@x/store-kysely/scim'
import { createTestRuntime } from '@x/scim-core/testing'
import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import { fileDatabase, postgresDatabase, postgresUrl, type TestDatabase } from './databases.ts'
import { joinedProgram } from './joined-program.ts'
import { BASE, TOKEN } from './scim-handler.ts'

const WRITER = await joinedProgram('scim-outbox-process.ts')

const TENANT = 'default'
const SECRET_KEY = 'a secret key of at least 32 characters'

const closing: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

interface Opened extends TestDatabase {
  readonly store: SqlScimStore
  readonly service: ScimService
}

async function opened(open: () => Promise<TestDatabase>): Promise<Opened> {
  const database = await open()
  closing.push(() => database.close())
  await migrateScim(database.db)
  const store = createScimStore(database.db)
  const auth = { kind: 'token', token: TOKEN } as const
  const service = createScimService({ store, baseUrl: BASE, auth, outbox: true })
  return { ...database, store, service }
}

type Answer = (body: ReceivedEvent, response: ServerResponse) => void

interface ReceivedEvent {
  readonly type: string
  readonly data: { readonly id: string; readonly after?: { readonly title?: string } }
}

async function receiver(answer: Answer = (_body, response) => void response.writeHead(204).end()) {
  const events: ReceivedEvent[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      const event = JSON.parse(text) as ReceivedEvent
      events.push(event)
      answer(event, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { events, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

function webhooksOver(store: SqlScimStore, options: object = {}): Webhooks {
  return createWebhooks({
    store: store.outbox,
    secretKey: SECRET_KEY,
    allowLoopback: true,
    ...options,
  })
}

const kinds: [name: string, isThere: boolean, open: () => Promise<TestDatabase>][] = [
  ['a SQLite file', true, () => fileDatabase()],
  ['PostgreSQL', postgresUrl !== null, postgresDatabase],
]

describe.each(kinds)('the outbox over %s', (_name, isThere, open) => {
  test.skipIf(!isThere)(
    'SH-24 SH-25 two dispatchers deliver everything once, in order',
    async () => {
      const { store, service } = await opened(open)
      const { events, url } = await receiver()
      const webhooks = webhooksOver(store)
      await webhooks.endpoints.create({ tenant: TENANT, url })
      const users = await Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          service.users.create(TENANT, { userName: `u${n}@corp.example` }),
        ),
      )
      const stop = new AbortController()
      const running = [webhooksOver(store), webhooksOver(store)].map((one) =>
        one.run({ signal: stop.signal, pollMs: 5 }),
      )
      for (let step = 0; step < 3; step += 1) {
        const operations = [{ op: 'replace', path: 'title', value: `t${step}` }] as const
        await Promise.all(users.map(({ id }) => service.users.patch(TENANT, id, operations)))
      }
      await expect.poll(() => events.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(24)
      stop.abort()
      await Promise.all(running)
      expect(events).toHaveLength(24)
      for (const { id } of users) {
        const titles = events
          .filter(({ data }) => data.id === id)
          .map(({ data }) => data.after?.title)
        expect(titles).toEqual([undefined, 't0', 't1', 't2'])
      }
    },
  )

  test.skipIf(!isThere)(
    'SH-18 a process that is killed leaves a row for each change, and no other',
    { tags: ['long'] },
    async () => {
      const { store, service, address } = await opened(open)
      const child = writer(address)
      let lines = 0
      await new Promise<void>((resolve) => {
        child.stdout?.on('data', (data: Buffer) => {
          lines += data.toString().split('\n').length - 1
          if (lines > 60) child.kill('SIGKILL')
        })
        child.on('close', () => resolve())
      })
      const announced = new Map<string, number>()
      for (let after = '0.0'; ;) {
        const { events, next } = await store.outbox.read(TENANT, { after, limit: 500 })
        if (events.length === 0) break
        for (const { resourceId } of events) {
          announced.set(resourceId, (announced.get(resourceId) ?? 0) + 1)
        }
        after = next
      }
      const { records } = await store.users.list(TENANT, { limit: 1_000, withTotal: false })
      expect(records.length).toBeGreaterThan(0)
      for (const { id, version } of records) expect(announced.get(id)).toBe(version)
      expect(announced.size).toBe(records.length)
      expect(await service.users.list(TENANT)).toMatchObject({ totalResults: records.length })
    },
  )

  test.skipIf(!isThere)(
    'SH-25 what a killed process has claimed is delivered after the lease',
    async () => {
      const { store, service } = await opened(open)
      let isHung = true
      const { events, url } = await receiver((_event, response) => {
        if (!isHung) response.writeHead(204).end()
      })
      // A dispatcher whose clock stands still never gives up by itself, as one that is gone.
      const gone = webhooksOver(store, { runtime: createTestRuntime({ start: new Date() }) })
      await gone.endpoints.create({ tenant: TENANT, url })
      const { id } = await service.users.create(TENANT, { userName: 'ada@corp.example' })
      void gone.deliverDue().catch(() => undefined)
      await expect.poll(() => events.length).toBe(1)
      isHung = false
      expect(await webhooksOver(store).deliverDue()).toMatchObject({ delivered: 0 })
      const later = createTestRuntime({ start: new Date(Date.now() + 31_000) })
      expect(await webhooksOver(store, { runtime: later }).deliverDue()).toMatchObject({
        delivered: 1,
      })
      expect(events.map(({ data }) => data.id)).toEqual([id, id])
    },
  )
})

describe('transactions that are open while the outbox is read', needs('postgres'), () => {
  const row = (id: string, resourceId: string): OutboxRow => ({
    id,
    tenant: TENANT,
    type: 'user.updated',
    resourceType: 'User',
    resourceId,
    at: '2031-01-01T00:00:00.000Z',
    requestId: 'q',
    actor: null,
    setId: id,
    op: 'patch',
    data: '{}',
  })

  test('SH-21 a continuing reader misses no row; rows of a resource are in commit order', async () => {
    const { store } = await opened(postgresDatabase)
    const { outbox } = store
    const gate = opening()
    const written = opening()
    // The earlier transaction writes first, and changes the resource last.
    const slow = store.transaction(TENANT, async (tx) => {
      await tx.outbox?.append([row('a', 'other')])
      written.open()
      await gate.opened
      await tx.outbox?.append([row('c', 'shared')])
    })
    await written.opened
    await store.transaction(TENANT, async (tx) => tx.outbox?.append([row('b', 'shared')]))
    const seen: string[] = []
    let after: string | undefined
    const read = async (): Promise<void> => {
      const page = await outbox.read(TENANT, after === undefined ? {} : { after })
      seen.push(...page.events.map(({ id }) => id))
      after = page.next
    }
    await read()
    gate.open()
    await slow
    await read()
    expect(seen).toEqual(['a', 'b', 'c'])
  })

  test('SH-21 a transaction that has written no event holds nothing back', async () => {
    const { store, db } = await opened(postgresDatabase)
    const gate = opening()
    const written = opening()
    const unrelated = db.transaction().execute(async (tx) => {
      await sql`create table unrelated (n int)`.execute(tx)
      written.open()
      await gate.opened
    })
    await written.opened
    await store.transaction(TENANT, async (tx) => tx.outbox?.append([row('a', 'x')]))
    const { events } = await store.outbox.read(TENANT)
    expect(events.map(({ id }) => id)).toEqual(['a'])
    gate.open()
    await unrelated
  })

  test('SH-21 a transaction that rolls back delays later rows only until it ends', async () => {
    const { store } = await opened(postgresDatabase)
    const gate = opening()
    const written = opening()
    const undone = store.transaction(TENANT, async (tx) => {
      await tx.outbox?.append([row('a', 'x')])
      written.open()
      await gate.opened
      throw new Error('undone')
    })
    await written.opened
    await store.transaction(TENANT, async (tx) => tx.outbox?.append([row('b', 'y')]))
    const ids = async (): Promise<string[]> =>
      (await store.outbox.read(TENANT)).events.map(({ id }) => id)
    expect(await ids()).toEqual([])
    gate.open()
    await expect(undone).rejects.toThrow('undone')
    expect(await ids()).toEqual(['b'])
  })

  test('SH-21 a reader misses no row of many concurrent writers', { tags: ['long'] }, async () => {
    const { store } = await opened(postgresDatabase)
    const writers = Array.from({ length: 8 }, async (_, who) => {
      for (let n = 0; n < 40; n += 1) {
        const events = [row(`${who}.${n}.0`, `r${who}`), row(`${who}.${n}.1`, `r${who}`)]
        await store.transaction(TENANT, async (tx) => {
          await tx.outbox?.append(events)
          if (n % 3 === 0) await tx.users.get(TENANT, 'none')
        })
      }
    })
    let isOver = false
    const writing = Promise.all(writers).then(() => (isOver = true))
    const seen: string[] = []
    let after = '0.0'
    for (let isLast = false; !isLast;) {
      isLast = isOver
      const page = await store.outbox.read(TENANT, { after, limit: 50 })
      seen.push(...page.events.map(({ id }) => id))
      after = page.next
      if (page.events.length > 0) isLast = false
    }
    await writing
    expect(seen).toHaveLength(640)
    expect(new Set(seen).size).toBe(640)
    for (let who = 0; who < 8; who += 1) {
      const own = seen.filter((id) => id.startsWith(`${who}.`))
      const order = own.map((id) => id.split('.').map(Number))
      expect(order).toEqual(order.toSorted(([, a = 0, b = 0], [, c = 0, d = 0]) => a - c || b - d))
    }
  })

  test('SH-21 a transaction that cannot see later commits is refused', async () => {
    const { db } = await opened(postgresDatabase)
    const reading = db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => createScimStore(tx).outbox.read(TENANT))
    await expect(reading).rejects.toThrow('in one of read committed')
  })
})

/** Something that others wait for. */
function opening(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined
  const waiting = new Promise<void>((resolve) => (open = resolve))
  return { opened: waiting, open: () => open() }
}

function writer(address: string): ChildProcess {
  return spawn(process.execPath, [WRITER, address], { stdio: ['ignore', 'pipe', 'inherit'] })
}
