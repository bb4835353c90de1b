import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { createBuildJobs, type BuildJobs } from '@x/flow-engine'
import { createBullMqQueue } from '@x/flow-engine/bullmq'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { Redis } from 'ioredis'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { actors } from './acting-flow.ts'
import { postgresDatabase, postgresUrl, type TestDatabase } from './databases.ts'
import type { DurableOrder } from './durable-process.ts'
import { joinedProgram } from './joined-program.ts'

const PROCESS = await joinedProgram('durable-process.ts')
const connection = process.env['REDIS_URL'] ?? ''
const LEASE_MS = 2400
const COUNT = 30
/** A takeover meets each of the jobs somewhere else. */
const PACES = [1, 5, 20, 60]

for (const kind of ['PostgreSQL', 'BullMQ (REDIS_URL)'] as const) {
  const isHere = postgresUrl !== null && (kind === 'PostgreSQL' || connection !== '')
  describe.skipIf(!isHere)(`two processes on ${kind}`, () => {
    let database: TestDatabase
    let folder: string
    let redis: DurableOrder['redis']
    const children: ChildProcess[] = []
    const ends: (() => Promise<unknown>)[] = []

    beforeEach(async () => {
      database = await postgresDatabase()
      await migrateFlow(database.db)
      folder = mkdtempSync(join(tmpdir(), 'x-taken-'))
      redis = kind === 'PostgreSQL' ? undefined : { connection, prefix: `{test-${randomUUID()}}` }
    })
    afterEach(async () => {
      for (const child of children.splice(0)) await killed(child)
      for (const end of ends.splice(0)) await end()
      if (redis !== undefined) {
        const client = new Redis(redis.connection)
        await client.del(...(await client.keys(`${redis.prefix}:*`)), `${redis.prefix}:none`)
        client.disconnect()
      }
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    })

    async function killed(child: ChildProcess): Promise<void> {
      if (child.exitCode !== null || child.signalCode !== null) return
      const closed = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGKILL')
      await closed
    }

    /** A process that starts these jobs and works on the queue. */
    async function start(who: string, flows: DurableOrder['flows']) {
      const order: DurableOrder = {
        who,
        leaseMs: LEASE_MS,
        flows,
        ...(redis === undefined ? {} : { redis }),
      }
      const child = spawn(process.execPath, [PROCESS, database.address, JSON.stringify(order)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      children.push(child)
      const said: string[] = []
      const lines = createInterface({ input: child.stdout }).on('line', (line) => said.push(line))
      await new Promise((resolve) => lines.once('line', resolve))
      const [, ...ids] = (said[0] ?? '').split(' ')
      return { child, ids, finished: () => said.slice(1).map((line) => line.split(' ')[1] ?? '') }
    }

    /** This process, as a third that looks in and answers; it runs nothing. */
    function watcher(): BuildJobs {
      const own = createJobStore(database.db)
      const queue = redis === undefined ? undefined : createBullMqQueue(redis)
      const jobs = createBuildJobs({
        components: actors('W'),
        leaseMs: LEASE_MS,
        store: { ...own, ...(queue === undefined ? {} : { queue }) },
        concurrency: 0,
      })
      ends.push(() => jobs.close({ timeoutMs: 0 }))
      if (queue !== undefined) ends.push(() => queue.close())
      return jobs
    }

    const flowsHere = (more: object = {}) =>
      PACES.map((ms) => ({ count: COUNT, ms, path: join(folder, `${ms}`), ...more }))

    const actsIn = (path: string): string[] => {
      try {
        return readFileSync(path, 'utf8').split('\n').filter(Boolean)
      } catch {
        return []
      }
    }

    async function underWay(flows: DurableOrder['flows']): Promise<void> {
      await vi.waitFor(
        () => {
          for (const { path } of flows) expect(actsIn(path).length).toBeGreaterThan(4)
        },
        { timeout: 30_000, interval: 5 },
      )
    }

    /** Every job ended once, its log is whole, and no vertex was built twice but one that was under way. */
    async function checkEnds(
      jobs: BuildJobs,
      { ids, flows }: { readonly ids: readonly string[]; readonly flows: DurableOrder['flows'] },
    ): Promise<void> {
      const { log } = createJobStore(database.db)
      for (const [n, id] of ids.entries()) {
        await vi.waitFor(async () => expect((await jobs.get(id))?.state).toBe('succeeded'), {
          timeout: 60_000,
          interval: 200,
        })
        const vertices = actsIn(flows[n]?.path ?? '').map((line) => line.slice(2))
        expect(new Set(vertices).size).toBe(COUNT)
        expect(vertices.length - COUNT).toBeLessThanOrEqual(1)
        const events = await log.read(id, -1, 1000)
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, seq) => seq))
        expect(events.filter(({ event }) => event === 'end')).toEqual([events.at(-1)])
        expect(events.filter(({ event }) => event === 'end_vertex')).toHaveLength(COUNT)
      }
    }

    test('DR-7, DR-11, FL-20, FL-21: after kill -9 the other goes on from the checkpoints', async () => {
      const flows = flowsHere()
      const a = await start('A', flows)
      await underWay(flows)
      await killed(a.child)
      const jobs = watcher()
      // The process may have been killed after it stored the end of a job and before it printed it.
      const left: string[] = []
      for (const id of a.ids) if ((await jobs.get(id))?.state !== 'succeeded') left.push(id)
      const b = await start('B', [])
      await checkEnds(jobs, { ids: a.ids, flows })
      await expect.poll(() => b.finished().toSorted()).toEqual(left.toSorted())
      expect(left.length).toBeGreaterThan(0)
      // A step that completed after the crash clears the count; BullMQ keeps it.
      const counted = kind === 'PostgreSQL' ? 0 : 1
      for (const id of left) expect((await jobs.get(id))?.crashes).toBe(counted)
    })

    test('DR-7, DR-8: one that is frozen for twice the lease harms no job when it wakes', async () => {
      const flows = flowsHere()
      const a = await start('A', flows)
      await underWay(flows)
      a.child.kill('SIGSTOP')
      const b = await start('B', [])
      await delay(2 * LEASE_MS)
      const before = flows.map(({ path }) => actsIn(path))
      a.child.kill('SIGCONT')
      const jobs = watcher()
      await checkEnds(jobs, { ids: a.ids, flows })
      for (const [n, { path }] of flows.entries()) {
        // It ends the vertex that it was about to build when it was frozen, and begins no other.
        const byA = (lines: readonly string[]) => lines.filter((line) => line.startsWith('A '))
        const more = byA(actsIn(path)).length - byA(before[n] ?? []).length
        expect(more).toBeLessThanOrEqual(1)
      }
      const told = () => [...a.finished(), ...b.finished()]
      await expect.poll(() => new Set(told())).toEqual(new Set(a.ids))
      expect(told()).toHaveLength(a.ids.length)
    })

    test('DR-12, FL-29: SIGTERM in the middle of a vertex hands the jobs over, and counts no crash', async () => {
      const flows = flowsHere()
      const a = await start('A', flows)
      const b = await start('B', [])
      await underWay(flows)
      const exited = new Promise<number | null>((resolve) => a.child.once('exit', resolve))
      a.child.kill('SIGTERM')
      expect(await exited).toBe(0)
      const at = Date.now()
      const jobs = watcher()
      await checkEnds(jobs, { ids: a.ids, flows })
      for (const id of a.ids) expect((await jobs.get(id))?.crashes).toBe(0)
      const told = () => [...a.finished(), ...b.finished()]
      await expect.poll(() => new Set(told())).toEqual(new Set(a.ids))
      expect(told()).toHaveLength(a.ids.length)
      // At once, not when a lease has ended: the slowest flow takes 30 times 60 ms.
      expect(Date.now() - at).toBeLessThan(30_000)
    })

    test('DR-34, DR-1: of answers from two processes one counts, and it outlives a killed one', async () => {
      const flows = [{ count: 3, ms: 1, path: join(folder, 'asks'), asks: true }]
      const a = await start('A', flows)
      const [id = ''] = a.ids
      const [one, two] = [watcher(), watcher()]
      await vi.waitFor(async () => expect((await one.get(id))?.state).toBe('suspended'), {
        timeout: 30_000,
        interval: 50,
      })
      await killed(a.child)
      expect((await two.pending()).map(({ jobId }) => jobId)).toEqual([id])
      const answers = await Promise.allSettled(
        [one, two, one, two].map((jobs, n) => jobs.resume(id, `answer ${n}`)),
      )
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const refused = answers.flatMap((answer) =>
        answer.status === 'rejected' ? [(answer.reason as { code: string }).code] : [],
      )
      expect(refused).toEqual(['conflict', 'conflict', 'conflict'])
      const b = await start('B', [])
      await vi.waitFor(async () => expect((await two.get(id))?.state).toBe('succeeded'), {
        timeout: 60_000,
        interval: 100,
      })
      await expect.poll(() => b.finished()).toEqual([id])
      const acts = actsIn(join(folder, 'asks'))
      const chosen = answers.findIndex(({ status }) => status === 'fulfilled')
      expect(acts).toEqual(['A Actor-0', 'A Actor-1', 'A Actor-2', `B answered answer ${chosen}`])
      const events = await createJobStore(database.db).log.read(id, -1, 100)
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, seq) => seq))
      expect(events.filter(({ event }) => event === 'suspended')).toHaveLength(1)
      expect(events.filter(({ event }) => event === 'end')).toEqual([events.at(-1)])
      expect((await two.get(id))?.crashes).toBe(0)
    })
  })
}
