import { createTestRuntime, type Runtime } from '@x/wire'
import { afterEach, describe, expect, test } from 'vitest'
import { createRegistry } from '@x/flow-engine'
import { createBuildJobs, type BuildJobs } from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { createUserLimits } from '../src/services/limits/user-limits.ts'
import { defaultSettings } from '../src/settings.ts'
import { gated } from '../../flow-engine/test/engine/gated.ts'
import { kinds } from '../../flow-engine/test/engine/dependencies.ts'
import {
  closeAll,
  closeLater,
  component,
  flowOf,
  sharedStore,
} from '../../flow-engine/test/jobs/asking.ts'
import { send } from '@x/test-kit'
import { createMemoryFlowStore } from '../src/memory/flow-store.ts'
import { createTestEngine } from '@x/test-kit'

const HOUR = 3_600_000
afterEach(closeAll)

/** A clock that an operator, or a time server, sets; sleeps go by a clock that nobody sets. */
function settableRuntime() {
  const base = createTestRuntime()
  let offset = 0
  const runtime: Runtime = { ...base, now: () => new Date(base.now().getTime() + offset) }
  return {
    runtime,
    advance: (ms: number) => base.advance(ms),
    jump: (ms: number) => void (offset += ms),
  }
}

function processOn(
  gate: ReturnType<typeof gated>,
  options: NonNullable<Parameters<typeof createBuildJobs>[0]>,
): BuildJobs {
  const jobs = createBuildJobs({ components: createRegistry([gate.component]), ...options })
  closeLater(jobs)
  return jobs
}

/** Two processes with one clock and one queue; the second only looks for what died. */
async function runningJob(resumable: boolean) {
  const clock = settableRuntime()
  const { runtime } = clock
  const gate = gated()
  const store = sharedStore()
  const first = processOn(gate, { store, runtime })
  const second = processOn(gate, { store, runtime, concurrency: resumable ? 8 : 0 })
  const { id } = await first.start({ flow: flowOf(gate.component), resumable })
  await gate.begun(1)
  await second.recover()
  const events = async () => kinds(await store.log.read(id, -1, 100))
  return { ...clock, gate, store, first, second, id, events }
}

describe('OP-20 leases when the clock jumps', () => {
  test('forwards: a job that cannot be resumed fails once, as interrupted', async () => {
    const { advance, jump, gate, first, second, id, events } = await runningJob(false)
    jump(HOUR)
    await second.recover()
    await advance(60_000)
    expect(gate.stopped).toEqual(['-'])
    expect(await second.get(id)).toMatchObject({
      state: 'failed',
      error: { code: 'interrupted' },
    })
    await first.close({ timeoutMs: 0 })
    expect((await events()).filter((kind) => kind === 'end')).toHaveLength(1)
  })

  test('forwards: a resumable job continues and succeeds once', async () => {
    const { advance, jump, gate, second, id, events } = await runningJob(true)
    jump(HOUR)
    await second.recover()
    await gate.begun(2)
    gate.open('-')
    await advance(60_000)
    await expect.poll(async () => (await second.get(id))?.state).toBe('succeeded')
    expect((await events()).filter((kind) => kind === 'end')).toHaveLength(1)
  })

  test('backwards: a running job keeps its lease and succeeds', async () => {
    const { advance, jump, gate, first, second, id, events } = await runningJob(false)
    jump(-HOUR)
    await second.recover()
    await advance(120_000)
    expect(gate.stopped).toEqual([])
    gate.open('-')
    expect((await first.result(id)).status).toBe('succeeded')
    expect((await events()).filter((kind) => kind === 'end')).toHaveLength(1)
  })
})

describe('OP-20 schedules when the clock jumps', () => {
  async function scheduled() {
    const clock = settableRuntime()
    const ran: string[] = []
    const noting = component('Noting', async () => {
      ran.push(clock.runtime.now().toISOString().slice(0, 16))
      return 'ran'
    })
    const jobs = createBuildJobs({
      store: createMemoryJobStore(),
      runtime: clock.runtime,
      components: createRegistry([noting]),
    })
    closeLater(jobs)
    await jobs.schedule('hourly', { cron: '0 * * * *', request: { flow: flowOf(noting) } })
    await clock.advance(HOUR + 6000)
    expect(ran).toEqual(['2030-01-01T01:00'])
    return { ...clock, ran }
  }

  test('backwards: a time whose job has run starts no second job', async () => {
    const { advance, jump, ran } = await scheduled()
    jump(-30 * 60_000)
    await advance(40 * 60_000)
    expect(ran).toHaveLength(1)
    await advance(HOUR)
    expect(ran).toEqual(['2030-01-01T01:00', '2030-01-01T02:00'])
  })

  test('forwards: the skipped times start at most two jobs, and the next job is on time', async () => {
    const { advance, jump, ran } = await scheduled()
    jump(5 * HOUR + 20 * 60_000)
    await advance(6000)
    const after = ran.length
    expect(after).toBeLessThanOrEqual(2)
    await advance(41 * 60_000)
    expect(ran.slice(after)).toEqual(['2030-01-01T07:00'])
  })
})

describe('OP-20 sign-ins when the clock jumps', () => {
  const password = (text: string) =>
    new URLSearchParams({ username: 'admin', password: text }).toString()
  const form = { 'content-type': 'application/x-www-form-urlencoded' }

  test('backwards: a session stays valid; forwards: it expires on time', async () => {
    const { runtime, jump } = settableRuntime()
    const engine = await createTestEngine({ runtime })
    const signedIn = await send(engine, '/api/v1/login', {
      body: password('admin-pass-1'),
      headers: form,
    })
    const { access_token: token } = signedIn.body as { access_token: string }
    const status = async () => (await send(engine, '/api/v1/users/whoami', { token })).status
    jump(-24 * HOUR)
    expect(await status()).toBe(200)
    jump(24 * HOUR)
    expect(await status()).toBe(200)
    jump(2 * HOUR)
    expect(await status()).toBe(401)
    await engine.close()
  })

  test('backwards: earlier wrong passwords do not lock the user out for the length of the jump', async () => {
    const { runtime, jump } = settableRuntime()
    const engine = await createTestEngine({ runtime })
    const attempt = async (text: string) =>
      await send(engine, '/api/v1/login', { body: password(text), headers: form })
    for (let n = 0; n < 3; n += 1) expect((await attempt('wrong')).status).toBe(401)
    jump(-HOUR)
    expect((await attempt('admin-pass-1')).status).toBe(200)
    await engine.close()
  })
})

describe('OP-20 caches when the clock is set back', () => {
  test('a cached message count is read again', async () => {
    const { runtime, jump } = settableRuntime()
    let stored = 10
    const limits = createUserLimits({
      store: { ...createMemoryFlowStore(), counts: { of: async () => stored } },
      settings: { ...defaultSettings, maxMessagesPerUser: 10 },
      runtime,
      removeLeft: async () => undefined,
      report: () => undefined,
    })
    await expect(limits.message('ada')).rejects.toThrow()
    stored = 0
    jump(-HOUR)
    await expect(limits.message('ada')).resolves.toBeUndefined()
  })
})
