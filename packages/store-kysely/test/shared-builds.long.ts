import { needs } from '@x/test-kit/needs'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { createBuildJobs, type BuildJobs, type BuildJobsOptions } from '@x/flow-engine'
import type { RunEvent } from '@x/flow-engine'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { openPostgres } from '@x/store-kysely/postgres'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BuildOrder } from './build-process.ts'
import { postgresDatabase, type TestDatabase } from './databases.ts'
import { collectEvents } from '@x/flow-engine/testing'
import { joinedProgram } from './joined-program.ts'
import { components } from './streaming-flow.ts'

const PROCESS = await joinedProgram('build-process.ts')

/** So long that nothing is found by looking again: news must come by NOTIFY. */
const PATIENT = { leaseMs: 600_000, heartbeatMs: 300_000 }
/** So short that a death is seen soon. */
const SHORT = { leaseMs: 900, heartbeatMs: 300 }

/** More words than anybody waits for. */
const ENDLESS = 1_000_000

/** Process A runs a build; this process, B, reads it. */
describe('a build that another process runs (FE-62)', needs('postgres'), () => {
  let database: TestDatabase
  let other: ReturnType<typeof openPostgres<unknown>>
  const ends: (() => Promise<void>)[] = []
  beforeEach(async () => {
    database = await postgresDatabase()
    await migrateFlow(database.db)
    other = openPostgres<unknown>(database.address)
  })
  afterEach(async () => {
    for (const end of ends.splice(0)) await end()
    await other.destroy()
    await database.close()
  })

  function jobsHere(options: BuildJobsOptions): BuildJobs {
    const jobs = createBuildJobs({ components, store: createJobStore(other), ...options })
    ends.push(() => jobs.close({ timeoutMs: 0 }))
    return jobs
  }

  /** Starts A; gives the id of its build. */
  async function elsewhere(order: BuildOrder) {
    const child = spawn(process.execPath, [PROCESS, database.address, JSON.stringify(order)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
    const kill = async (): Promise<void> => {
      child.kill('SIGKILL')
      await closed
    }
    ends.push(kill)
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    /** The next line, without the word before it. */
    const next = async (word: string): Promise<string> => {
      const { value } = await lines.next()
      expect(value).toMatch(new RegExp(`^${word} `))
      return String(value).slice(word.length + 1)
    }
    return { id: await next('job'), job: () => next('job'), finished: () => next('finished'), kill }
  }

  test('FL-60 its events arrive here while it runs, each once and in order', async () => {
    const jobs = jobsHere({ ...PATIENT, concurrency: 0 })
    const { id, finished } = await elsewhere({ ...PATIENT, words: 150, resumable: false })
    const events: RunEvent[] = []
    let stateAtFirstToken: string | undefined
    for await (const event of jobs.events(id)) {
      events.push(event)
      if (event.event === 'token') stateAtFirstToken ??= (await jobs.get(id))?.state
    }
    expect(stateAtFirstToken).toBe('running')
    expectOneLog(events)
    expect(wordsOf(events)).toEqual(Array.from({ length: 150 }, (_, n) => `w${n} `))
    expect(events.at(-1)).toMatchObject({ event: 'end' })
    expect(await finished()).toBe('succeeded')
    const late: RunEvent[] = []
    for await (const event of jobs.events(id, { after: 10 })) late.push(event)
    expect(late).toEqual(events.slice(11))
  })

  test('FL-60 a reader whose connection is lost meanwhile misses nothing', async () => {
    const jobs = jobsHere({ ...PATIENT, concurrency: 0 })
    const { id } = await elsewhere({ ...PATIENT, words: 150, resumable: false })
    const events: RunEvent[] = []
    for await (const event of jobs.events(id)) {
      events.push(event)
      if (wordsOf(events).length === 1) await endConnections()
    }
    expectOneLog(events)
    expect(wordsOf(events)).toHaveLength(150)
  })

  test('FE-60, DR-16 a job queued in another process can be cancelled from here and never runs', async () => {
    const jobs = jobsHere({ ...PATIENT, concurrency: 0 })
    const order = { ...PATIENT, words: ENDLESS, resumable: false, builds: 2 }
    const { id: running, job, finished } = await elsewhere(order)
    const queued = await job()
    expect((await jobs.get(queued))?.state).toBe('queued')
    const reading = collectEvents(jobs.events(queued))
    expect(await jobs.cancel(queued)).toEqual({ success: true })
    expect(await reading).toMatchObject([{ seq: 0, event: 'end', data: { cancelled: true } }])
    expect(await jobs.get(queued)).toMatchObject({ state: 'cancelled', startedAt: null })

    // Its place is free afterwards, and it is not taken for the one that was cancelled.
    await jobs.cancel(running)
    expect(await finished()).toBe('cancelled')
    expect(await jobs.get(queued)).toMatchObject({ state: 'cancelled', startedAt: null })
    expect(await jobs.cancel(queued)).toEqual({ success: true })
    expect(await collectEvents(jobs.events(queued))).toHaveLength(1)
  })

  test('FE-60 a cancel from here ends it there at once', async () => {
    const jobs = jobsHere({ ...PATIENT, concurrency: 0 })
    const { id, finished } = await elsewhere({ ...PATIENT, words: ENDLESS, resumable: false })
    const events: RunEvent[] = []
    for await (const event of jobs.events(id)) {
      events.push(event)
      if (wordsOf(events).length === 1 && event.event === 'token') await jobs.cancel(id)
    }
    expectOneLog(events)
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { cancelled: true } })
    expect(await finished()).toBe('cancelled')
    expect((await jobs.get(id))?.state).toBe('cancelled')
  })

  test('FE-63 when the process is killed, a reader here sees the interruption within a lease', async () => {
    const jobs = jobsHere({ ...SHORT, concurrency: 0 })
    const { id, kill } = await elsewhere({ ...SHORT, words: ENDLESS, resumable: false })
    const events: RunEvent[] = []
    for await (const event of jobs.events(id)) {
      events.push(event)
      if (wordsOf(events).length === 20 && event.event === 'token') await kill()
    }
    expectOneLog(events)
    expect(events.slice(-2).map(({ event }) => event)).toEqual(['error', 'end'])
    expect(await jobs.get(id)).toMatchObject({ state: 'failed', error: { code: 'interrupted' } })
  })

  test('FE-63 when the process is killed, a resumable build continues here from its checkpoint', async () => {
    const jobs = jobsHere(SHORT)
    const { id, kill } = await elsewhere({ ...SHORT, words: 120, resumable: true })
    const events: RunEvent[] = []
    for await (const event of jobs.events(id)) {
      events.push(event)
      if (wordsOf(events).length === 20 && event.event === 'token') await kill()
    }
    expectOneLog(events)
    const ended = events.flatMap((event) =>
      event.event === 'end_vertex' ? [event.data.build_data.id] : [],
    )
    expect(ended.toSorted()).toEqual(['ChatOutput-00001', 'Opener-00001', 'Talker-00001'])
    expect(events.filter(({ event }) => event === 'vertices_sorted')).toHaveLength(1)
    expect(wordsOf(events).slice(-120)).toEqual(Array.from({ length: 120 }, (_, n) => `w${n} `))
    expect(await jobs.get(id)).toMatchObject({ state: 'succeeded' })
    // A late reader, at the process that ran the second half, gets the first half too.
    const late: RunEvent[] = []
    for await (const event of jobs.events(id)) late.push(event)
    expect(late.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq))
  })

  test('FE-60 a build whose process died before it saw the cancel ends as cancelled', async () => {
    for (const resumable of [false, true]) {
      const jobs = jobsHere({ ...SHORT, concurrency: 0 })
      const { id, kill } = await elsewhere({ ...SHORT, words: ENDLESS, resumable })
      const events: RunEvent[] = []
      for await (const event of jobs.events(id)) {
        events.push(event)
        if (wordsOf(events).length !== 1 || event.event !== 'token') continue
        await kill()
        await jobs.cancel(id)
      }
      expectOneLog(events)
      expect(events.at(-1)).toMatchObject({ event: 'end', data: { cancelled: true } })
      expect((await jobs.get(id))?.state).toBe('cancelled')
    }
  })

  async function endConnections(): Promise<void> {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen%'`.execute(database.db)
  }
})

function wordsOf(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => (event.event === 'token' ? [event.data.chunk] : []))
}

/** Numbered from 0 without gap or repetition. */
function expectOneLog(events: readonly RunEvent[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n))
}
