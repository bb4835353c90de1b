import { createTestRuntime } from '@x/wire'
import { afterEach, expect, test } from 'vitest'
import {
  createBuildJobs,
  createLateStore,
  createRegistry,
  defineComponent,
  field,
  output,
} from '@x/flow-engine'
import type { BuildJobs } from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { StoreUnavailableError, type NewJob, type StartedJob } from '@x/flow-engine/store'
import { flowBuilder } from '@x/flow-engine/testing'
import { lateJobsOf } from '../../src/jobs/late-store.ts'

/** Waits until it is opened. */
function gate() {
  let open = (): void => undefined
  let reach = (): void => undefined
  const opened = new Promise<void>((resolve) => (open = resolve))
  const reached = new Promise<void>((resolve) => (reach = resolve))
  const wait = async (): Promise<string> => {
    reach()
    await opened
    return 'done'
  }
  return { open: () => open(), reached, wait }
}

const closing: BuildJobs[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((jobs) => jobs.close({ timeoutMs: 0 })))
})

/** One vertex that waits, behind a store that counts what it is asked to write. */
function setUp(concurrency = 8) {
  const runtime = createTestRuntime()
  const given = createMemoryJobStore()
  const writes: string[] = []
  const { queue } = given
  let failures = 0
  const counted = {
    ...given,
    queue: {
      ...given.queue,
      adopt: async (started: StartedJob) => {
        writes.push(started.outcome === undefined ? 'adopt' : 'adopt with the end')
        if (failures-- > 0) throw new StoreUnavailableError({ connectionLost: true })
        await queue.adopt?.(started)
      },
      enqueue: async (job: NewJob) => {
        writes.push('enqueue')
        await queue.enqueue(job)
      },
      finish: async (...call: Parameters<typeof queue.finish>) => {
        writes.push('finish')
        return await queue.finish(...call)
      },
    },
    log: {
      ...given.log,
      append: async (...call: Parameters<typeof given.log.append>) => {
        writes.push('append')
        await given.log.append(...call)
      },
    },
    checkpoints: {
      ...given.checkpoints,
      put: async (...call: Parameters<typeof given.checkpoints.put>) => {
        writes.push('checkpoint')
        await given.checkpoints.put(...call)
      },
      remove: async (jobId: string) => {
        writes.push('remove checkpoints')
        await given.checkpoints.remove(jobId)
      },
    },
  }
  const held = gate()
  const waits = defineComponent({
    type: 'Waits',
    inputs: { step: field.bool({ default: false }) },
    outputs: {
      out: output.message({
        run: ({ step }, ctx) => (step ? ctx.step('once', held.wait) : held.wait()),
      }),
    },
  })
  const store = createLateStore(counted, runtime)
  const jobs = createBuildJobs({ components: createRegistry([waits]), store, runtime, concurrency })
  closing.push(jobs)
  const start = (step = false, more = {}) => {
    const flow = flowBuilder()
    flow.add(waits, { values: { step } })
    return jobs.start({ flow: flow.toJSON(), resumable: true, late: true, ...more })
  }
  const away = (times: number): void => void (failures = times)
  return { runtime, given, store, jobs, held, writes, start, away }
}

test('DO-14 a short job is stored once, with its end and its log', async () => {
  const { jobs, given, held, writes, start } = setUp()
  const { id } = await start()
  await held.reached
  expect(await given.queue.get(id)).toBeNull()
  expect((await jobs.get(id))?.state).toBe('running')
  held.open()
  expect((await jobs.result(id)).status).toBe('succeeded')
  await expect.poll(() => given.queue.get(id)).toMatchObject({ state: 'succeeded', attempts: 1 })
  const events = await given.log.read(id, -1, 100)
  expect(events.at(-1)?.event).toBe('end')
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n))
  expect(writes).toEqual(['adopt with the end'])
})

test('DO-14 a job that goes on is stored after 75 ms, and then as it goes', async () => {
  const { jobs, given, held, runtime, writes, start } = setUp()
  const { id } = await start()
  await held.reached
  await runtime.advance(75)
  await expect.poll(() => given.queue.get(id)).toMatchObject({ state: 'running', attempts: 1 })
  held.open()
  await jobs.result(id)
  await expect.poll(() => given.queue.get(id)).toMatchObject({ state: 'succeeded' })
  expect(writes[0]).toBe('adopt')
  expect(writes).toContain('checkpoint')
  const events = await given.log.read(id, -1, 100)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n))
})

test('DO-14 a job is stored before a step, and when somebody asks the store for it', async () => {
  const step = setUp()
  const stepping = await step.start(true)
  await step.held.reached
  expect((await step.given.queue.get(stepping.id))?.state).toBe('running')
  step.held.open()

  const { store, given, held, start } = setUp()
  const { id } = await start(false, { userId: 'ada', sessionId: 's' })
  await held.reached
  const listed = async (sessionId: string): Promise<number> => {
    const page = await store.queue.list?.({ userId: 'ada', sessionId, offset: 0, limit: 10 })
    return page?.items.length ?? -1
  }
  expect(await listed('other')).toBe(0)
  expect(await given.queue.get(id)).toBeNull()
  expect(await listed('s')).toBe(1)
  expect((await given.queue.get(id))?.state).toBe('running')
  held.open()
})

test('DO-14 a store that is away gets the job as soon as it is back', async () => {
  const { jobs, given, held, runtime, away, start } = setUp()
  away(2)
  const { id } = await start()
  await held.reached
  await runtime.advance(75)
  held.open()
  const result = jobs.result(id)
  await expect
    .poll(async () => {
      await runtime.advance(1000)
      return (await given.queue.get(id))?.state
    })
    .toBe('succeeded')
  expect((await result).status).toBe('succeeded')
  const events = await given.log.read(id, -1, 100)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => n))
})

test('DO-14 a job without a place is queued, and a cancelled one is stored', async () => {
  const { jobs, given, held, writes, start } = setUp(1)
  const first = await start()
  await held.reached
  const second = await start()
  expect(writes).toEqual(['enqueue'])
  expect((await jobs.get(second.id))?.state).toBe('queued')
  await jobs.cancel(first.id)
  await expect.poll(() => given.queue.get(first.id)).toMatchObject({ state: 'cancelled' })
  held.open()
  await jobs.result(second.id)
})

test('checkpoints of many jobs are removed together, as the given store does', async () => {
  const given = createMemoryJobStore()
  const removed: string[][] = []
  const removeAll = async (jobIds: readonly string[]): Promise<void> => {
    removed.push([...jobIds])
  }
  const checkpoints = { ...given.checkpoints, removeAll }
  const late = createLateStore({ ...given, checkpoints }, createTestRuntime())
  await late.checkpoints.removeAll?.(['a', 'b'])
  expect(removed).toEqual([['a', 'b']])
})

test('what is known of ended jobs without checkpoints is bounded', async () => {
  const given = createMemoryJobStore()
  const removed: string[] = []
  const remove = async (jobId: string): Promise<void> => void removed.push(jobId)
  const checkpoints = { ...given.checkpoints, remove }
  const late = createLateStore({ ...given, checkpoints }, createTestRuntime())
  const now = new Date(0)
  for (let n = 0; n <= 1000; n += 1) {
    const job: NewJob = {
      id: `j${n}`,
      flowId: 'f',
      userId: 'u',
      request: '{}',
      resumable: true,
      lane: '',
      createdAt: now,
      maxRunningPerUser: null,
      flowVersion: null,
      sessionId: null,
      priority: 0,
      maxQueued: null,
    }
    lateJobsOf(late)?.begin(job, { worker: 'w', leaseUntil: now, startedAt: now }, false)
    await late.queue.finish(job.id, 'w', { state: 'succeeded', finishedAt: now })
  }
  // The earliest of 1,001 is forgotten: its checkpoints are removed, although there are none.
  await late.checkpoints.remove('j0')
  await late.checkpoints.remove('j1')
  expect(removed).toEqual(['j0'])
})
