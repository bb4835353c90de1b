import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import type { JobStore, NewJob } from '@x/flow-engine/store'
import { needs } from '@x/test-kit/needs'
import { Client } from 'pg'
import { sql, type CompiledQuery, type Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { postgresDatabase, type TestDatabase } from './databases.ts'

const SOON = 60_000

describe('a queue under pressure on PostgreSQL', needs('postgres'), () => {
  let database: TestDatabase
  let db: Kysely<unknown>
  let store: JobStore
  let seen: CompiledQuery[] = []

  beforeEach(async () => {
    database = await postgresDatabase()
    await migrateFlow(database.db)
    db = openPostgres(database.address, { log: ({ query }) => void seen.push(query) })
    store = createJobStore(db)
  })
  afterEach(async () => {
    await db.destroy()
    await database.close()
  })

  const job = (id: string, userId: string | null = 'u'): NewJob => ({
    id,
    flowId: 'flow',
    userId,
    request: '{}',
    resumable: true,
    lane: '',
    createdAt: new Date(),
    maxRunningPerUser: null,
    flowVersion: null,
    sessionId: null,
    priority: 0,
    maxQueued: null,
  })
  const claim = (worker: string) =>
    store.queue.claim(worker, new Date(Date.now() + SOON), new Date())
  const finish = (id: string, worker: string) =>
    store.queue.finish(id, worker, { state: 'succeeded', finishedAt: new Date() })
  const runOne = async (n: number): Promise<void> => {
    await store.queue.enqueue(job(`run-${n}`, `u${n % 5}`))
    const claimed = await claim(`p/${n}`)
    await store.queue.heartbeat(claimed?.id ?? '', `p/${n}`, new Date(Date.now() + SOON))
    expect(await finish(claimed?.id ?? '', `p/${n}`)).toBe(true)
  }
  async function buffersOf(call: () => Promise<unknown>): Promise<number> {
    seen = []
    await call()
    const [{ sql: text, parameters } = { sql: '', parameters: [] }] = seen
    const { rows } = await db.transaction().execute(async (tx) => {
      const explained = await tx.executeQuery<Record<string, string>>({
        ...sql.raw('').compile(db),
        sql: `explain (analyze, buffers, costs off) ${text}`,
        parameters,
      })
      await sql`rollback and chain`.execute(tx)
      return explained
    })
    const line = rows.map((row) => row['QUERY PLAN'] ?? '').find((one) => one.includes('Buffers: '))
    if (process.env['EXPLAIN'] !== undefined)
      process.stdout.write(`${rows.map((row) => row['QUERY PLAN']).join('\n')}\n`)
    return [...(line ?? '').matchAll(/(?:hit|read)=(\d+)/g)].reduce(
      (sum, [, n]) => sum + Number(n),
      0,
    )
  }

  test('FL-35 a lock that somebody holds on the row of a job delays that job alone', async () => {
    for (const id of ['a', 'b', 'c']) await store.queue.enqueue(job(id))
    const [first, second] = [await claim('p/1'), await claim('p/2')]
    const next = new Date(Date.now() + 2 * SOON)
    await db.transaction().execute(async (tx) => {
      await sql`select 1 from flow_job where id = ${first?.id} for update`.execute(tx)
      const held = store.queue.heartbeat(first?.id ?? '', 'p/1', next)
      expect(await store.queue.heartbeat(second?.id ?? '', 'p/2', next)).toBe('kept')
      expect((await claim('p/3'))?.id).toBe('c')
      expect(await finish('c', 'p/3')).toBe(true)
      await store.queue.enqueue(job('d'))
      expect(await store.queue.expired(new Date(), { charge: true })).toEqual([])
      expect(await Promise.race([held, finish(second?.id ?? '', 'p/2')])).toBe(true)
      await sql`select 1`.execute(tx)
      void held.then((answer) => expect(answer).toBe('kept'))
    })
    expect((await store.queue.get(first?.id ?? ''))?.state).toBe('running')
  })

  test('FL-41 a transaction that is held open does not make claims look at what others did since', async () => {
    const held = new Client({ connectionString: database.address })
    await held.connect()
    await held.query('begin isolation level repeatable read')
    await held.query('select count(*) from flow_job')
    for (let n = 0; n < 1500; n += 1) await runOne(n)
    for (const id of ['last', 'later']) await store.queue.enqueue(job(id))
    const pages = await buffersOf(() => claim('p/last'))
    expect(await held.query('select count(*)::int as n from flow_job')).toMatchObject({
      rows: [{ n: 0 }],
    })
    await held.end()
    // The counters of turns leave a dead row for each change, of which 40 fit in a page.
    expect(pages).toBeLessThanOrEqual(200)
    // Leases are renewed in the page of their job.
    await store.queue.enqueue(job('kept'))
    const claimed = await claim('p/kept')
    const hot = async (): Promise<number> => {
      const { rows } = await sql<{ n: string }>`select n_tup_hot_upd as n from pg_stat_user_tables
          where relname = 'flow_job'`.execute(db)
      return Number(rows[0]?.n)
    }
    await expect.poll(hot, { timeout: 10_000 }).toBeGreaterThan(0)
    const before = await hot()
    for (let n = 0; n < 20; n += 1)
      await store.queue.heartbeat(claimed?.id ?? '', 'p/kept', new Date(Date.now() + SOON + n))
    await expect.poll(hot, { timeout: 10_000 }).toBeGreaterThanOrEqual(before + 18)
  }, 120_000)

  describe('FL-44 retention', () => {
    const ended = async (prefix: string, count: number): Promise<void> => {
      await sql`insert into flow_job (id, flow_id, user_id, request, resumable, lane, created_at, state,
          attempts, crashes, cancel_requested, position, finished_at)
        select ${sql.lit(prefix)} || n, 'flow', 'u', '{}', 1, '', n, 'succeeded', 1, 0, 0, n, n
        from generate_series(1, ${sql.lit(count)}) as n`.execute(db)
      await sql`insert into flow_job_lane values ('', 0) on conflict do nothing`.execute(db)
      await sql`vacuum analyze flow_job`.execute(db)
    }
    const trim = (most: number) =>
      store.queue.trim({ before: new Date(0), keep: 1000, once: new Date(0), most })

    test('removes in slices, and looks at nothing that stays', async () => {
      await ended('once-', 20_000)
      await ended('j', 3000)
      const pages = await buffersOf(() => trim(500))
      expect(pages).toBeLessThanOrEqual(3000)
      const gone = [await trim(500), await trim(500), await trim(500), await trim(500)]
      expect(gone.map((ids) => ids.length)).toEqual([500, 500, 500, 0])
      const { rows } = await sql<{ id: string }>`select id from flow_job
        where id like 'j%' order by finished_at limit 1`.execute(db)
      expect(rows).toEqual([{ id: 'j2001' }])
    })

    test('is the work of one process at a time', async () => {
      await ended('j', 1100)
      await db.transaction().execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(hashtext('flow_job.trim'))`.execute(tx)
        expect(await trim(500)).toEqual([])
      })
      expect(await trim(500)).toHaveLength(100)
    })
  })
})
