import { needs } from '@x/test-kit/needs'
import { sql } from 'kysely'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { postgresDatabase, type TestDatabase } from './databases.ts'

const NOW = Date.UTC(2031, 0, 1)
const at = (ms: number): Date => new Date(NOW + ms)

/** Two stores over two pools are to each other what two processes are. */
describe('two processes on one PostgreSQL (FE-62)', needs('postgres'), () => {
  let database: TestDatabase
  let other: ReturnType<typeof openPostgres<unknown>>
  beforeEach(async () => {
    database = await postgresDatabase()
    await migrateFlow(database.db)
    other = openPostgres<unknown>(database.address)
  })
  afterEach(async () => {
    await other.destroy()
    await database.close()
  })

  const newJob = (id: string, more: object = {}) => ({
    id,
    flowId: 'flow',
    userId: 'u1',
    request: '{}',
    resumable: true,
    createdAt: at(0),
    lane: '',
    flowVersion: null,
    sessionId: null,
    maxRunningPerUser: null,
    priority: 0,
    maxQueued: 1000,
    ...more,
  })

  test('a message reaches the listeners of both processes once', async () => {
    const [a, b] = [createJobStore(database.db), createJobStore(other)]
    const heard: string[] = []
    let arrived = (): void => undefined
    const end = new Promise<void>((resolve) => {
      arrived = resolve
    })
    b.bus.subscribe('job:1', (payload) => {
      heard.push(`b ${payload}`)
      if (payload === 'end') arrived()
    })
    a.bus.subscribe('job:1', (payload) => heard.push(`a ${payload}`))
    await listening(2)
    a.bus.publish('job:1', '1')
    a.bus.publish('other', 'no')
    a.bus.publish('job:1', 'end')
    await end
    // An empty payload says that listening has begun, and something may have been missed before.
    const payloads = heard.filter((line) => !line.endsWith(' '))
    expect(payloads.toSorted()).toEqual(['a 1', 'a end', 'b 1', 'b end'])
  })

  test('a listener hears again after its connection was ended', async () => {
    const [a, b] = [createJobStore(database.db), createJobStore(other)]
    let arrived = (): void => undefined
    const heard = new Promise<void>((resolve) => {
      arrived = resolve
    })
    b.bus.subscribe('c', () => arrived())
    await listening(1)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen%'`.execute(database.db)
    await listening(0)
    await listening(1)
    a.bus.publish('c', 'x')
    await expect(heard).resolves.toBeUndefined()
  })

  test('workers of both get each job once, also under a limit for each user', async () => {
    const stores = [createJobStore(database.db), createJobStore(other)] as const
    for (let n = 0; n < 20; n += 1) {
      await stores[n % 2 === 0 ? 0 : 1].queue.enqueue(newJob(`j${n}`, { maxRunningPerUser: 5 }))
    }
    const claims = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        stores[n % 2 === 0 ? 0 : 1].queue.claim(`w${n}`, at(1000), at(1)),
      ),
    )
    const ids = claims.flatMap((job) => job?.id ?? [])
    expect(ids).toHaveLength(5)
    expect(new Set(ids).size).toBe(5)
  })

  test('FE-63 the job of a worker that is gone is queued again after its lease; the old one writes nothing more', async () => {
    const [a, b] = [createJobStore(database.db), createJobStore(other)]
    await a.queue.enqueue(newJob('j'))
    await a.queue.claim('dead', at(30), at(0))
    await a.log.append('j', [{ seq: 0, event: 'vertices_sorted', data: '{}' }])
    const expired = await Promise.all([a.queue.expired(at(31)), b.queue.expired(at(31))])
    expect(expired.flat().map(({ id, worker }) => [id, worker])).toEqual([['j', 'dead']])
    const again = await b.queue.claim('alive', at(90), at(32))
    expect(again).toMatchObject({ id: 'j', attempts: 2 })
    expect(await a.queue.heartbeat('j', 'dead', at(99))).toBe('lost')
    expect(await a.queue.finish('j', 'dead', { state: 'succeeded', finishedAt: at(40) })).toBe(
      false,
    )
    await b.log.append('j', [{ seq: 1, event: 'end', data: '{}' }])
    await expect(a.log.append('j', [{ seq: 1, event: 'end', data: '{}' }])).rejects.toMatchObject({
      constraint: 'event.seq',
    })
    expect(await a.log.read('j', -1, 10)).toHaveLength(2)
  })

  test('enqueue holds the limit over both', async () => {
    const stores = [createJobStore(database.db), createJobStore(other)] as const
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) =>
        stores[n % 2 === 0 ? 0 : 1].queue.enqueue(newJob(`j${n}`, { maxQueued: 4 })),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
  })

  /** Waits until the server shows that many listening connections, 10 seconds at most. */
  async function listening(count: number): Promise<void> {
    await expect
      .poll(
        async () => {
          const { rows } = await sql`select 1 from pg_stat_activity
            where datname = current_database() and query like 'listen%' and state = 'idle'`.execute(
            database.db,
          )
          return rows.length
        },
        { interval: 20, timeout: 10_000 },
      )
      .toBe(count)
  }
})
