import { createTestRuntime } from '@x/wire'
import { afterEach, describe, expect, test } from 'vitest'
import { createRegistry, type Component, type FlowJson } from '../../src/graph.ts'
import { createBuildJobs, type BuildJobs, type JobStore } from '../../src/index.ts'
import { createMemoryJobStore } from '../../src/memory.ts'
import { collectEvents, flowBuilder } from '../../src/testing.ts'
import { gated } from '../engine/gated.ts'

const open: BuildJobs[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((jobs) => jobs.close({ timeoutMs: 0 })))
})

/** A store that several processes serve at once. */
function sharedStore(): JobStore {
  const store = createMemoryJobStore()
  return { ...store, queue: { ...store.queue, shared: true } }
}

function processOn(
  store: JobStore,
  component: Component,
  options: { runtime: ReturnType<typeof createTestRuntime>; concurrency?: number },
): BuildJobs {
  const jobs = createBuildJobs({ store, components: createRegistry([component]), ...options })
  open.push(jobs)
  return jobs
}

function alone(component: Component): FlowJson {
  const flow = flowBuilder()
  flow.add(component, { id: 'Gated-1' })
  return flow.toJSON()
}

const kinds = (events: readonly { readonly event: string }[]) => events.map(({ event }) => event)

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

  test('FE-60, FE-63: where the news of it is lost, the next heartbeat brings it', async () => {
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
    await runtime.advance(9999)
    expect(gate.stopped).toEqual([])
    await runtime.advance(1)
    expect(gate.stopped).toEqual(['-'])
    expect((await first.result(id)).status).toBe('cancelled')
  })

  test('FE-63: one that cannot prolong its lease stops; another ends the job, and nothing follows', async () => {
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
    await runtime.advance(29_999)
    expect(gate.stopped).toEqual([])
    await runtime.advance(30_002)
    expect(gate.stopped).toEqual(['-'])
    gate.open('-')
    expect(kinds(await reading)).toEqual(['vertices_sorted', 'error', 'end'])
    expect((await second.get(id))?.error?.code).toBe('interrupted')
    await first.close({ timeoutMs: 0 })
    expect(kinds(await store.log.read(id, -1, 100))).toEqual(['vertices_sorted', 'error', 'end'])
  })

  test('FE-63: each looks once per lease for what died; a job that had said nothing begins anew', async () => {
    const gate = gated()
    const store = sharedStore()
    const runtime = createTestRuntime()
    const jobs = processOn(store, gate.component, { runtime })
    await jobs.recover()
    const now = runtime.now()
    await store.queue.enqueue({
      id: 'job-1',
      flowId: 'flow-1',
      userId: null,
      request: JSON.stringify({ flow: alone(gate.component), resumable: true }),
      resumable: true,
      createdAt: now,
      lane: '',
      maxRunningPerUser: null,
      maxQueued: null,
    })
    await store.queue.claim('dead process', new Date(now.getTime() + 1000), now)
    await runtime.advance(29_999)
    expect(gate.started).toEqual([])
    await runtime.advance(1)
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
