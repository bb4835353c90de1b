import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import type { ClaimedJob, JobStore, NewJob } from '@x/flow-engine/store'
import { needs } from '@x/test-kit/needs'
import { sql, type CompiledQuery, type Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { postgresDatabase, type TestDatabase } from './databases.ts'

const WAITING = 100_000

describe('a long queue on PostgreSQL', needs('postgres'), () => {
  let database: TestDatabase
  let db: Kysely<unknown>
  let store: JobStore
  let seen: CompiledQuery[] = []

  beforeEach(async () => {
    database = await postgresDatabase()
    await migrateFlow(database.db)
    db = openPostgres(database.address, {
      statementTimeoutMs: 0,
      log: ({ query }) => void seen.push(query),
    })
    store = createJobStore(db)
    seen = []
  })
  afterEach(async () => {
    await db.destroy()
    await database.close()
  })

  const fill = async (user: string, lane: string, limit: number | null): Promise<void> => {
    await sql`alter table flow_job disable trigger user`.execute(db)
    await sql`insert into flow_job (id, flow_id, user_id, request, resumable, lane, created_at,
        max_running_per_user, state, attempts, crashes, cancel_requested, position)
      select 'j' || n, 'flow', ${sql.raw(user)}, '{}', 1, ${sql.raw(lane)}, n, ${sql.lit(limit)},
        'queued', 0, 0, 0, n from generate_series(1, ${sql.lit(WAITING)}) as n`.execute(db)
    await sql`insert into flow_job_turn (lane, user_key, waiting, suspects, running, max_running, head)
      select lane, user_id, count(*), 0, 0, min(max_running_per_user), min(position)
      from flow_job group by 1, 2`.execute(db)
    await sql`insert into flow_job_lane select lane, count(*) from flow_job group by 1`.execute(db)
    await sql`alter table flow_job enable trigger user`.execute(db)
    await sql`vacuum analyze flow_job, flow_job_turn, flow_job_lane`.execute(db)
  }
  const job = (id: string): NewJob => ({
    id,
    flowId: 'flow',
    userId: 'another',
    request: '{}',
    resumable: true,
    lane: '',
    createdAt: new Date(),
    maxRunningPerUser: 4,
    flowVersion: null,
    sessionId: null,
    priority: 0,
    maxQueued: 1_000_000,
  })

  /** The pages that the statements of a call touch, triggers included. */
  async function buffersOf(call: () => Promise<unknown>): Promise<number[]> {
    seen = []
    await call()
    const counts: number[] = []
    for (const { sql: text, parameters } of seen.slice()) {
      const { rows } = await db.transaction().execute(async (tx) => {
        const explained = await tx.executeQuery<Record<string, string>>({
          ...sql.raw('').compile(db),
          sql: `explain (analyze, buffers, costs off) ${text}`,
          parameters: parameters.map((one) => (one === 'new' ? 'new-2' : one)),
        })
        await sql`rollback and chain`.execute(tx)
        return explained
      })
      const lines = rows.map((row) => row['QUERY PLAN'] ?? '')
      const [first = ''] = lines.filter((line) => line.includes('Buffers: '))
      counts.push(
        [...first.matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0),
      )
      if (process.env['EXPLAIN'] !== undefined) process.stdout.write(`${lines.join('\n')}\n`)
    }
    return counts
  }
  const claim = (count: number, lane = ''): Promise<(ClaimedJob | null)[]> =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        store.queue.claim(`p/${n}`, new Date(Date.now() + 60_000), new Date(), [lane]),
      ),
    )

  test.each([
    ['of one user', `'u'`, `''`, null],
    ['of one user who is at the limit', `'u'`, `''`, 4],
    ['of 10,000 users in three lanes', `'u' || n % 10000`, `(array['', 'b', 'c'])[1 + n % 3]`, 4],
  ])(
    'FL-11, FL-12, FL-40 claims and enqueues do not notice 100,000 waiting jobs %s',
    async (_name, user, lane, limit) => {
      await fill(user, lane, limit)
      const held = await claim(4)
      // Each is one statement, or two where all turns are at their limit or held by others.
      const claims = await buffersOf(() => claim(6))
      expect(claims).toHaveLength(1)
      expect(Math.max(...claims)).toBeLessThanOrEqual(200)
      const queued = await buffersOf(() => store.queue.enqueue(job('new')))
      expect(queued).toHaveLength(1)
      expect(queued[0]).toBeLessThanOrEqual(40)
      seen = []
      const beats = await Promise.all(
        held.map((one) => store.queue.heartbeat(one?.id ?? '', one?.worker ?? '', new Date())),
      )
      expect(beats).toEqual(['kept', 'kept', 'kept', 'kept'])
      expect(seen).toHaveLength(1)
    },
    60_000,
  )
})
