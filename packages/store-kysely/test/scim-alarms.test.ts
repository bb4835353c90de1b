import { createScimConnections, type AlarmMemory } from '@x/scim-core/connections'
import { createTestRuntime } from '@x/scim-core/testing'
import { createScimStore, migrateScim, type SqlScimStore } from '@x/store-kysely/scim'
import { afterEach, describe, expect, test } from 'vitest'
import { memoryDatabase, postgresDatabase, postgresUrl, type TestDatabase } from './databases.ts'

const DAY_MS = 86_400_000
const EVERY_MS = 3_600_000

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A connection that falls silent; `process` begins to watch it. */
async function silentConnection(open: () => Promise<TestDatabase>) {
  const database = await open()
  closing.push(() => database.close())
  await migrateScim(database.db)
  const store = createScimStore(database.db)
  const runtime = createTestRuntime()
  const told: string[] = []
  const errors: unknown[] = []
  const process = (alarms: AlarmMemory = store.kept) => {
    const connections = createScimConnections({
      store: store.connections,
      tokens: store.tokens,
      alarms,
      outbox: true,
      runtime,
      onError: (error) => errors.push(error),
    })
    connections.events.on('*', ({ type }) => void told.push(type))
    const stopping = new AbortController()
    const ended = connections.watch({ signal: stopping.signal, everyMs: EVERY_MS })
    const stop = async () => {
      stopping.abort()
      await ended
    }
    closing.push(stop)
    return { connections, stop }
  }
  const { connections, stop } = process()
  const settings = { silenceAfter: 60 }
  const named = { tenant: 'acme', name: 'A', provider: 'entra', settings } as const
  const { connection } = await connections.create(named)
  await store.connections.update('acme', connection.id, { lastUsedAt: runtime.now() })
  await stop()
  await runtime.advance(DAY_MS)
  return { store, runtime, told, errors, process, id: connection.id }
}

const rows = async (store: SqlScimStore) => (await store.outbox.read('acme')).events

describe.each([
  ['SQLite', memoryDatabase, false],
  ['PostgreSQL', postgresDatabase, postgresUrl === null],
] as const)('SF-67 alarms in the outbox of %s', (_, open, isAbsent) => {
  test.skipIf(isAbsent)('one row over all processes, also if one of them fails', async () => {
    const { store, runtime, told, errors, process, id } = await silentConnection(open)
    const failing = process({
      get: (name) => store.kept.get(name),
      // What the outbox does not take: nothing of the exchange stays.
      exchange: (name, before, after, [row]) =>
        store.kept.exchange(name, before, after, row === undefined ? [] : [row, row]),
    })
    await expect.poll(() => errors.length).toBeGreaterThan(0)
    expect([told, await rows(store)]).toEqual([[], []])
    await failing.stop()
    for (let n = 0; n < 3; n += 1) process()
    await expect.poll(() => told).toEqual(['connection.silent'])
    await runtime.advance(2 * EVERY_MS)
    expect(told).toEqual(['connection.silent'])
    expect(await rows(store)).toMatchObject([
      {
        type: 'connection.silent',
        resourceType: 'Connection',
        resourceId: id,
        tenant: 'acme',
        actor: null,
        data: { provider: 'entra', silentSeconds: 86_400 },
      },
    ])
  })
})
