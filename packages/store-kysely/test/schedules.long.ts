import { needs } from '@x/test-kit/needs'
import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { JobStore } from '@x/flow-engine/store'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { sql } from 'kysely'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { fileDatabase, postgresDatabase, type TestDatabase } from './databases.ts'
import { joinedProgram } from './joined-program.ts'
import type { SchedulingOrder } from './scheduling-process.ts'

const PROCESS = await joinedProgram('scheduling-process.ts')
const children: ChildProcess[] = []
let database: TestDatabase | undefined

afterEach(async () => {
  await Promise.all(children.splice(0).map(kill))
  await database?.close()
  database = undefined
})

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await closed
}

/** Resolves when the process has scheduled and watches; `said` gets the ids of its jobs. */
async function start(
  address: string,
  order: SchedulingOrder,
  said: string[] = [],
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROCESS, address, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  await new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line === 'ready') resolve()
      else said.push(line)
    })
  })
  return child
}

async function lastOf({ schedules }: JobStore, id: string): Promise<Date | null> {
  return (await schedules?.get(id))?.lastAt ?? null
}

describe('schedules of real processes', () => {
  test(
    'DR-58, FL-33: of three processes on PostgreSQL, each second is taken once; one may die',
    needs('postgres'),
    async () => {
      database = await postgresDatabase()
      await migrateFlow(database.db)
      const { address, db } = database
      const store = createJobStore(db)
      const order = { id: 'seconds', cron: '* * * * * *', missed: 'once' } as const
      const said: string[] = []
      const [first] = await Promise.all([1, 2, 3].map(() => start(address, order, said)))
      const grown = (count: number) =>
        vi.waitFor(() => expect(said.length).toBeGreaterThanOrEqual(count), {
          timeout: 60_000,
          interval: 50,
        })
      await grown(3)
      if (first !== undefined) await kill(first)
      await grown(said.length + 3)
      await store.schedules?.remove(order.id)
      expect(said.filter((line) => !line.startsWith('succeeded '))).toEqual([])
      expect(new Set(said).size).toBe(said.length)
      await vi.waitFor(
        async () => {
          const left = await sql`select id from flow_job where state <> 'succeeded'`.execute(db)
          expect(left.rows).toEqual([])
        },
        { timeout: 30_000, interval: 100 },
      )
      const ran = await sql`select id from flow_job`.execute(db)
      // One more may have been started while the schedule was removed, or have ended with its process.
      expect(ran.rows.length).toBeGreaterThanOrEqual(said.length)
      expect(ran.rows.length).toBeLessThanOrEqual(said.length + 3)
    },
  )

  test('DR-58: a schedule outlives the process that made it, and missed times run once', async () => {
    database = await fileDatabase()
    await migrateFlow(database.db)
    const { address, db } = database
    const store = createJobStore(db)
    const order = { id: 'kept', cron: '* * * * * *', missed: 'once' } as const
    const first = await start(address, order)
    await vi.waitFor(async () => expect(await lastOf(store, order.id)).not.toBeNull(), {
      timeout: 30_000,
      interval: 100,
    })
    await kill(first)
    const before = await store.schedules?.get(order.id)
    // More than a lease goes by while nobody runs.
    await new Promise((resolve) => setTimeout(resolve, 4000))
    await start(address, order)
    await vi.waitFor(
      async () => {
        const job = await sql`select id from flow_job where created_at > ${Number(before?.nextAt)}
          and state = 'succeeded'`.execute(db)
        expect(job.rows.length).toBeGreaterThan(0)
      },
      { timeout: 30_000, interval: 100 },
    )
    const after = await lastOf(store, order.id)
    expect(Number(after)).toBeGreaterThanOrEqual(Number(before?.nextAt))
  })
})
