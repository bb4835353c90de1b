import { createTestRuntime } from '@x/wire'
import { afterEach, describe, expect, test } from 'vitest'
import { createRegistry, type Component, type FlowJson } from '@x/flow-engine'
import { createBuildJobs, type BuildJobs } from '@x/flow-engine'
import type { FleetState, JobStore } from '@x/flow-engine/store'
import { collectEvents, flowBuilder } from '@x/flow-engine/testing'
import { gated } from '../engine/gated.ts'
import { kinds } from '../engine/dependencies.ts'
import { closeAll, closeLater, sharedStore } from './asking.ts'

afterEach(closeAll)

function processOn(
  store: JobStore,
  component: Component,
  options: { runtime: ReturnType<typeof createTestRuntime>; concurrency?: number },
): BuildJobs {
  const jobs = createBuildJobs({ store, components: createRegistry([component]), ...options })
  closeLater(jobs)
  return jobs
}

function alone(component: Component): FlowJson {
  const flow = flowBuilder()
  flow.add(component, { id: 'Gated-1' })
  return flow.toJSON()
}

describe('several processes on one queue', () => {
  test('FE-60: a cancel reaches the process that runs the job at once', async () => {
    const gate = gated()
    const store = sharedStore()
    const runtime = createTestRuntime()
    const first = processOn(store, gate.component, { runtime })
    const second = processOn(store, gate.component, { runtime, concurrency: 0 })
    const { id } = await first.start({ flow: alone(gate.component) })
    await gate.begun(1)
    expect(await second.cancel(id)).toEqual({ success: true })
    expect(gate.stopped).toEqual(['-'])
    expect((await first.result(id)).status).toBe('cancelled')
  })

  test('FE-60, FE-63: when the notification of a cancel is lost, the next heartbeat detects it', async () => {
    const gate = gated()
    const store = sharedStore()
    const runtime = createTestRuntime()
    const first = processOn(store, gate.component, { runtime })
    const deafBus = { publish: () => undefined, subscribe: () => () => undefined }
    const second = processOn({ ...store, bus: deafBus }, gate.component, {
      runtime,
      concurrency: 0,
    })
    const { id } = await first.start({ flow: alone(gate.component) })
    await gate.begun(1)
    await second.cancel(id)
    await runtime.advance(4999)
    expect(gate.stopped).toEqual([])
    await runtime.advance(1)
    expect(gate.stopped).toEqual(['-'])
    expect((await first.result(id)).status).toBe('cancelled')
  })

  test('FE-63: a process that cannot renew its lease stops; another ends the job, and no event follows', async () => {
    const gate = gated({ deaf: true })
    const store = sharedStore()
    const runtime = createTestRuntime()
    const heartbeat = () => Promise.reject(new Error('the store is away'))
    const cutOff = { ...store, queue: { ...store.queue, heartbeat } }
    const first = processOn(cutOff, gate.component, { runtime })
    const second = processOn(store, gate.component, { runtime, concurrency: 0 })
    await second.recover()
    const { id } = await first.start({ flow: alone(gate.component) })
    await gate.begun(1)
    const reading = collectEvents(second.events(id))
    await runtime.advance(14_999)
    expect(gate.stopped).toEqual([])
    await runtime.advance(5001)
    expect(gate.stopped).toEqual(['-'])
    gate.open('-')
    expect(kinds(await reading)).toEqual(['vertices_sorted', 'error', 'end'])
    expect((await second.get(id))?.error?.code).toBe('interrupted')
    await first.close({ timeoutMs: 0 })
    expect(kinds(await store.log.read(id, -1, 100))).toEqual(['vertices_sorted', 'error', 'end'])
  })

  test('FE-63, FL-13: each process checks for dead jobs every third of a lease; a job without events starts again', async () => {
    const gate = gated()
    const store = sharedStore()
    const runtime = createTestRuntime()
    const jobs = processOn(store, gate.component, { runtime })
    const now = runtime.now()
    await store.queue.enqueue({
      id: 'job-1',
      flowId: 'flow-1',
      userId: null,
      request: JSON.stringify({ flow: alone(gate.component), resumable: true }),
      resumable: true,
      createdAt: now,
      lane: '',
      flowVersion: null,
      sessionId: null,
      maxRunningPerUser: null,
      priority: 0,
      maxQueued: null,
    })
    await store.queue.claim('dead process', new Date(now.getTime() + 1000), now)
    await jobs.recover()
    await runtime.advance(3999)
    expect(gate.started).toEqual([])
    await runtime.advance(1001)
    await gate.begun(1)
    gate.open('-')
    // The one that died had not even said what there is to run.
    expect(kinds(await collectEvents(jobs.events('job-1')))).toEqual([
      'vertices_sorted',
      'add_message',
      'end_vertex',
      'end',
    ])
  })
})

describe('a job queued by another process', () => {
  test('DR-19, FL-30: the process that queued a job forgets it when another one has run it', async () => {
    const gate = gated()
    const store = sharedStore()
    const runtime = createTestRuntime()
    const first = processOn(store, gate.component, { runtime, concurrency: 0 })
    const second = processOn(store, gate.component, { runtime })
    await second.recover()
    const { id } = await first.start({ flow: alone(gate.component) })
    await gate.begun(1)
    expect([...first.own().keys()]).toEqual([id])
    // FL-30: it can be stopped where it runs, also if the process that queued it is gone.
    expect([...second.own().keys()]).toEqual([id])
    gate.open('-')
    expect((await second.result(id)).status).toBe('succeeded')
    await expect.poll(() => first.own().size).toBe(0)
  })

  test('DR-37: its owner is authorized with its request before the job starts', async () => {
    const gate = gated()
    const store = sharedStore()
    const runtime = createTestRuntime()
    const asked: unknown[] = []
    const first = processOn(store, gate.component, { runtime, concurrency: 0 })
    const second = createBuildJobs({
      store,
      runtime,
      components: createRegistry([gate.component]),
      authorize: (job, { metadata }) => {
        asked.push([job.id, metadata])
        return false
      },
    })
    closeLater(second)
    const { id } = await first.start({ flow: alone(gate.component), metadata: { of: 'ada' } })
    expect([...first.own().keys()]).toEqual([id])
    await second.recover()
    expect((await first.result(id)).status).toBe('failed')
    expect(await first.get(id)).toMatchObject({ error: { code: 'forbidden' } })
    expect(asked).toEqual([[id, { of: 'ada' }]])
    expect(gate.stopped).toEqual([])
  })

  test('DR-37: a process does not authorize again the jobs that it has queued itself', async () => {
    const gate = gated()
    const jobs = createBuildJobs({
      store: sharedStore(),
      components: createRegistry([gate.component]),
      authorize: () => false,
    })
    closeLater(jobs)
    const { id } = await jobs.start({ flow: alone(gate.component) })
    await gate.begun(1)
    expect(jobs.own().has(id)).toBe(true)
    await jobs.cancel(id)
    expect((await jobs.result(id)).status).toBe('cancelled')
    expect(jobs.own().size).toBe(0)
  })
})

describe('a process that only queues', () => {
  test('FL-2: it claims nothing, also of what others left, and gets the results of others', async () => {
    const gate = gated()
    const store = sharedStore()
    const runtime = createTestRuntime()
    const web = createBuildJobs({
      store,
      runtime,
      components: createRegistry([gate.component]),
      work: false,
    })
    closeLater(web)
    const { id } = await web.start({ flow: alone(gate.component) })
    await runtime.advance(120_000)
    expect(await web.recover()).toEqual({ requeued: [], interrupted: [] })
    expect(gate.started).toEqual([])
    const worker = processOn(store, gate.component, { runtime })
    await worker.recover()
    await gate.begun(1)
    gate.open('-')
    expect((await web.result(id)).status).toBe('succeeded')
  })

  test('FL-2: it says once a minute that jobs wait and nobody works', async () => {
    const store = sharedStore()
    const runtime = createTestRuntime()
    const errors: string[] = []
    const processes: FleetState['processes'][number][] = []
    const queue: JobStore['queue'] = {
      ...store.queue,
      seen: async () => undefined,
      fleet: async () => ({ at: runtime.now(), queued: 12, processes }) as unknown as FleetState,
    }
    const web = createBuildJobs({
      store: { ...store, queue },
      runtime,
      work: false,
      onError: (error) => errors.push((error as Error).message),
    })
    closeLater(web)
    await web.recover()
    await runtime.advance(59_000)
    expect(errors).toEqual([])
    await runtime.advance(70_000)
    const warning = 'No worker for 60 s; 12 jobs wait'
    expect(errors).toEqual([warning, warning])
    processes.push({ role: 'worker', seenAt: runtime.now() } as FleetState['processes'][number])
    await runtime.advance(60_000)
    expect(errors).toHaveLength(2)
  })

  test('FL-2: it needs a queue that others serve', () => {
    expect(() => createBuildJobs({ work: false })).toThrow(
      new TypeError('work: false needs a shared queue'),
    )
  })

  test('FL-6: many jobs are queued together or not at all', async () => {
    const gate = gated()
    const jobs = createBuildJobs({
      runtime: createTestRuntime(),
      components: createRegistry([gate.component]),
      maxQueued: 3,
      concurrency: 1,
    })
    closeLater(jobs)
    const request = { flow: alone(gate.component) }
    expect(await jobs.startAll([])).toEqual([])
    await expect(jobs.startAll(Array.from({ length: 1001 }, () => request))).rejects.toThrow(
      'At most 1000 requests at once, got 1001',
    )
    await expect(jobs.startAll([request, { ...request, priority: 11 }])).rejects.toThrow(
      'priority must be an integer from -10 to 10',
    )
    await expect(jobs.startAll(Array.from({ length: 4 }, () => request))).rejects.toMatchObject({
      status: 429,
    })
    expect(jobs.own().size).toBe(0)
    const made = await jobs.startAll([request, request, request])
    for (let n = 1; n <= 3; n += 1) {
      await gate.begun(n)
      gate.open('-')
    }
    for (const { id } of made) expect((await jobs.result(id)).status).toBe('succeeded')
  })
})
