import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { JobStore } from '@x/flow-engine/store'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { openSqlite } from '@x/store-kysely/sqlite'
import { interleave, median, percentile, ratio } from '../lib/measure.ts'
import { report } from '../lib/report.ts'

/** The job store under builds of ten events each, against the driver alone (design of group commit). */
const BUILDS = 4000
const EVENTS = 10
const CONCURRENT = 200
/** Builds in one transaction of the bound. */
const AT_ONCE = 100

const data = JSON.stringify({ chunk: 'some words of a token', id: 'x'.repeat(60) })
const folder = mkdtempSync(join(tmpdir(), 'x-bench-store-'))
let waits: number[] = []
const loop = monitorEventLoopDelay({ resolution: 1 })
/** p99 of each round of ours, in milliseconds. */
const delays: { readonly append: number; readonly loop: number }[] = []
const ROUNDS = 5

const db = openSqlite(join(folder, 'ours.db'))
await migrateFlow(db)
const jobs = createJobStore(db)
let started = 0

const measured = await interleave(
  { ours: () => perSecond(oursRound), bound: () => perSecond(boundRound(openBound())) },
  { rounds: ROUNDS, warmUp: 1 },
)
await db.destroy()
rmSync(folder, { recursive: true, force: true })

const counted = delays.slice(-ROUNDS)

report('store', [
  {
    name: 'builds of 10 events, against the driver alone',
    value: ratio(measured, 'ours', 'bound'),
    unit: 'x',
    limit: 0.4,
    better: 'higher',
    note: `${AT_ONCE} builds in a transaction`,
  },
  { name: 'builds', value: measured.get('ours')?.median ?? 0, unit: '/s', note: 'or >= 3,500' },
  { name: 'driver alone', value: measured.get('bound')?.median ?? 0, unit: '/s' },
  {
    name: 'append p99',
    value: median(counted.map(({ append }) => append)),
    unit: 'ms',
    limit: 25,
    note: `${CONCURRENT} builds at once; median of ${ROUNDS} rounds`,
  },
  {
    name: 'event loop delay p99',
    value: median(counted.map((delay) => delay.loop)),
    unit: 'ms',
    limit: 15,
    note: `median of ${ROUNDS} rounds`,
  },
])

async function perSecond(round: () => void | Promise<void>): Promise<number> {
  const begin = performance.now()
  await round()
  return BUILDS / ((performance.now() - begin) / 1000)
}

async function oursRound(): Promise<void> {
  waits = []
  loop.reset()
  loop.enable()
  let left = BUILDS
  const worker = async (name: string): Promise<void> => {
    while (left > 0) {
      left -= 1
      started += 1
      await build(jobs, { id: `job-${started}`, worker: name })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, (_, n) => worker(`w${n}`)))
  loop.disable()
  delays.push({ append: percentile(waits, 99), loop: loop.percentile(99) / 1e6 })
}

/** The engine's writes for one build: queued, claimed, three appends, finished. */
async function build(
  { queue, log }: JobStore,
  { id, worker }: { readonly id: string; readonly worker: string },
): Promise<void> {
  const now = new Date()
  await queue.enqueue({
    id,
    flowId: 'flow',
    userId: null,
    request: '',
    resumable: false,
    createdAt: now,
    lane: '',
    flowVersion: null,
    sessionId: null,
    maxRunningPerUser: null,
    priority: 0,
    maxQueued: 1000,
  })
  const job = await queue.claim(worker, new Date(now.getTime() + 30_000), now)
  if (job === null) return
  for (const [from, to] of [
    [0, 1],
    [1, EVENTS - 1],
    [EVENTS - 1, EVENTS],
  ] as const) {
    const events = Array.from({ length: to - from }, (_, n) => ({
      seq: from + n,
      event: 'token',
      data,
    }))
    const begin = performance.now()
    await log.append(job.id, events)
    waits.push(performance.now() - begin)
  }
  await queue.finish(job.id, worker, { state: 'succeeded', finishedAt: new Date() })
}

interface Raw {
  prepare(sql: string): { run(parameters: readonly unknown[]): unknown }
  exec(sql: string): void
  pragma(text: string): unknown
}

function openBound(): Raw {
  const load = createRequire(import.meta.url)
  const modern = Number(process.versions.napi) >= 10
  const Driver = load(modern ? 'better-sqlite3' : 'libsql') as new (path: string) => Raw
  const raw = new Driver(join(folder, `bound-${started}-${performance.now()}.db`))
  raw.pragma('journal_mode = WAL')
  raw.pragma('synchronous = FULL')
  raw.exec('create table job (id text primary key, state text, worker text, started int)')
  raw.exec(`create table event (job text, seq int, event text, data text,
    primary key (job, seq)) without rowid`)
  return raw
}

/** The same rows through the driver alone, many builds in each transaction. */
function boundRound(raw: Raw): () => void {
  const insert = raw.prepare("insert into job (id, state, worker) values (?, 'queued', null)")
  const claim = raw.prepare("update job set state = 'running', worker = ? where id = ?")
  const append = raw.prepare('insert into event (job, seq, event, data) values (?, ?, ?, ?)')
  const finish = raw.prepare("update job set state = 'succeeded' where id = ?")
  return () => {
    for (let done = 0; done < BUILDS; done += AT_ONCE) {
      raw.exec('begin immediate')
      for (let n = done; n < done + AT_ONCE; n += 1) {
        const id = `job-${n}`
        insert.run([id])
        claim.run(['worker', id])
        for (let seq = 0; seq < EVENTS; seq += 1) append.run([id, seq, 'token', data])
        finish.run([id])
      }
      raw.exec('commit')
    }
  }
}
