// Runs each night (.ci/night).
import { needs } from '@x/test-kit/needs'
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createJobStore, migrateFlow } from '@x/store-kysely/flow'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { joinBuilt } from '../../../tools/join-built.mjs'
import type { ActingOrder } from './acting-process.ts'
import { postgresDatabase, type TestDatabase } from './databases.ts'

// What is shipped: a host that uses the built packages.
const SOURCE = fileURLToPath(new URL('acting-process.ts', import.meta.url))
const PROCESS = await joinBuilt(SOURCE, [
  'flow-engine',
  'flow-components',
  'flow-service',
  'scim-core',
  'store-kysely',
])
const LEASE = { leaseMs: 1500, heartbeatMs: 400 }
/** The freeze meets each of the jobs somewhere else: building, or in the middle of a write. */
const PACES = [0, 1, 3, 7, 20, 50]
const COUNT = 60

describe('a process that is frozen and wakes (AB-92, DR-7)', needs('postgres'), () => {
  let database: TestDatabase
  let folder: string
  const children: ChildProcess[] = []
  beforeEach(async () => {
    database = await postgresDatabase()
    await migrateFlow(database.db)
    folder = mkdtempSync(join(tmpdir(), 'x-frozen-'))
  })
  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const closed = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGKILL')
      await closed
    }
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function start(order: ActingOrder) {
    const child = spawn(process.execPath, [PROCESS, database.address, JSON.stringify(order)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    const said: string[] = []
    const lines = createInterface({ input: child.stdout }).on('line', (line) => said.push(line))
    await new Promise((resolve) => lines.once('line', resolve))
    const [, ...ids] = (said[0] ?? '').split(' ')
    return { child, ids, finished: () => said.slice(1) }
  }

  const actsIn = (path: string): string[] => {
    try {
      return readFileSync(path, 'utf8').split('\n').filter(Boolean)
    } catch {
      return []
    }
  }

  test('AB-92 every vertex that starts after the takeover acts once, and the jobs succeed', async () => {
    const flows = PACES.map((ms) => ({ count: COUNT, ms, path: join(folder, `${ms}`) }))
    const b = await start({ who: 'B', ...LEASE, flows: [] })
    b.child.kill('SIGSTOP')
    const a = await start({ who: 'A', ...LEASE, flows })
    await vi.waitFor(
      () => {
        for (const { path } of flows) expect(actsIn(path).length).toBeGreaterThan(4)
      },
      { timeout: 30_000, interval: 5 },
    )
    a.child.kill('SIGSTOP')
    b.child.kill('SIGCONT')
    await delay(50)
    const before = flows.map(({ path }) => actsIn(path))
    await delay(2 * LEASE.leaseMs)
    a.child.kill('SIGCONT')
    const woken = performance.now()

    const { queue, log } = createJobStore(database.db)
    await vi.waitFor(
      async () => {
        for (const id of a.ids) expect((await queue.get(id))?.state).toBe('succeeded')
      },
      { timeout: 60_000, interval: 200 },
    )
    // The slowest of them takes three seconds alone.
    expect(performance.now() - woken).toBeLessThan(45_000)
    let taken = 0
    for (const [n, { path }] of flows.entries()) {
      const id = a.ids[n] ?? ''
      const acts = actsIn(path)
      // A ended the vertex that it was starting when it was frozen, and started no other after it woke.
      const byA = (lines: readonly string[] = []) => lines.filter((line) => line.startsWith('A '))
      expect(byA(acts).length - byA(before[n]).length).toBeLessThanOrEqual(1)
      const vertices = acts.map((line) => line.slice(2))
      expect(new Set(vertices).size).toBe(COUNT)
      // All but the one in which it was frozen were built once.
      expect(vertices.length - COUNT).toBeLessThanOrEqual(1)
      const events = await log.read(id, -1, 1000)
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, seq) => seq))
      expect(events.filter(({ event }) => event === 'end')).toEqual([events.at(-1)])
      expect(events.filter(({ event }) => event === 'end_vertex')).toHaveLength(COUNT)
      if ((await queue.get(id))?.attempts === 2) taken += 1
    }
    expect(taken).toBeGreaterThan(0)
    // The end of each is told once, by the process that had it then.
    const told = [...a.finished(), ...b.finished()].map((line) => line.split(' ')[1] ?? '')
    expect(told).toHaveLength(a.ids.length)
    expect(new Set(told)).toEqual(new Set(a.ids))
  })
})
