import { setTimeout as delay } from 'node:timers/promises'
import { createTestRuntime } from '@x/wire'
import { afterEach, describe, expect, test } from 'vitest'
import { createRegistry, type FlowJson } from '@x/flow-engine'
import { createBuildJobs, type BuildJobsOptions } from '@x/flow-engine'
import type { EventLog, JobQueue, JobStore } from '@x/flow-engine/store'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { collectEvents, flowBuilder } from '@x/flow-engine/testing'
import { gated } from '../engine/gated.ts'
import { kinds } from '../engine/dependencies.ts'
import { closeAll, closeLater, sharedStore } from './asking.ts'

afterEach(closeAll)

type Gate = ReturnType<typeof gated>

function processOn(store: JobStore, gate: Gate, options: BuildJobsOptions = {}) {
  const finished: string[] = []
  const jobs = createBuildJobs({
    store,
    components: createRegistry([gate.component]),
    observer: { finished: ({ state }) => void finished.push(state) },
    ...options,
  })
  closeLater(jobs)
  return { jobs, finished }
}

function alone(gate: Gate): FlowJson {
  const flow = flowBuilder()
  flow.add(gate.component, { id: 'Gated-1' })
  return flow.toJSON()
}

/** Takes the job away from its process, as another would whose clock says that the lease has ended. */
async function takeAway(store: JobStore, id: string): Promise<void> {
  await store.queue.expired(new Date(Date.now() + 1_000_000))
  const job = await store.queue.claim('other/1', new Date(Date.now() + 900_000), new Date())
  expect(job).toMatchObject({ id, attempts: 2 })
  await store.log.open(id, 2)
}

describe('a process that lost its job (DR-7)', () => {
  test('writes and removes nothing, reports no end, and sets no result (DR-3)', async () => {
    const gate = gated()
    const store = sharedStore()
    const { jobs, finished } = processOn(store, gate)
    const { id } = await jobs.start({ flow: alone(gate), resumable: true })
    await gate.begun(1)
    const result = jobs.result(id)
    await takeAway(store, id)
    await store.checkpoints.put(id, 'Other-1', 'kept', 2)
    gate.open('-')
    await delay(50)
    expect(kinds(await store.log.read(id, -1, 100))).toEqual(['vertices_sorted'])
    expect(await store.checkpoints.list(id)).toEqual([{ vertexId: 'Other-1', state: 'kept' }])
    expect(await store.queue.get(id)).toMatchObject({ state: 'running' })
    expect(finished).toEqual([])
    const outcome = { state: 'succeeded' as const, finishedAt: new Date() }
    await store.log.append(id, [{ seq: 1, event: 'end', data: '{}' }], 2)
    await store.queue.finish(id, 'other/1', outcome)
    store.bus.publish(`job:${id}`, '1')
    expect((await result).status).toBe('succeeded')
  })

  test('keeps the checkpoints and reports no end when the queue refuses the end', async () => {
    const gate = gated()
    const store = sharedStore()
    const queue = { ...store.queue, finish: async () => false }
    const { jobs, finished } = processOn({ ...store, queue }, gate)
    const { id } = await jobs.start({ flow: alone(gate), resumable: true })
    await gate.begun(1)
    gate.open('-')
    await expect.poll(() => store.log.lastSeq(id)).toBe(3)
    await delay(20)
    expect(finished).toEqual([])
    expect(await store.checkpoints.list(id)).toHaveLength(1)
  })

  test('starts no vertex after the lease has expired, even before a timer fires', async () => {
    const gate = gated()
    const store = sharedStore()
    const runtime = createTestRuntime()
    let frozenFor = 0
    const clock = { ...runtime, now: () => new Date(runtime.now().getTime() + frozenFor) }
    let isTaken = false
    // The job goes back to the queue, from which this process does not take it again.
    const claim: JobQueue['claim'] = async (...given) => {
      const job = isTaken ? null : await store.queue.claim(...given)
      isTaken ||= job !== null
      return job
    }
    const { jobs } = processOn({ ...store, queue: { ...store.queue, claim } }, gate, {
      runtime: clock,
    })
    const flow = flowBuilder()
    const first = flow.add(gate.component, { id: 'Gated-1' })
    const second = flow.add(gate.component, { id: 'Gated-2' })
    flow.connect(`${first}.out`, `${second}.text`)
    await jobs.start({ flow: flow.toJSON(), resumable: true })
    await gate.begun(1)
    frozenFor = 60_000
    gate.open('-')
    await expect.poll(async () => (await store.queue.countOpen?.())?.queued).toBe(1)
    expect(gate.started).toEqual(['-'])
  })
})

describe('an end in the log', () => {
  test('DR-7 a job whose end is in the log gets that state and is not run again', async () => {
    const gate = gated()
    const store = sharedStore()
    const dies = { ...store.queue, finish: () => Promise.reject(new Error('gone')) }
    const first = processOn({ ...store, queue: dies }, gate)
    const { id } = await first.jobs.start({ flow: alone(gate), resumable: true })
    await gate.begun(1)
    gate.open('-')
    await expect.poll(() => store.log.lastSeq(id)).toBe(3)
    await first.jobs.close({ timeoutMs: 0 })
    await store.queue.expired(new Date(Date.now() + 1_000_000))
    const second = processOn(store, gate)
    await second.jobs.recover()
    await expect.poll(() => store.queue.get(id)).toMatchObject({ state: 'succeeded', attempts: 2 })
    expect(gate.started).toEqual(['-'])
    expect(kinds(await collectEvents(second.jobs.events(id))).filter((k) => k === 'end')).toEqual([
      'end',
    ])
    await expect.poll(() => second.finished).toEqual(['succeeded'])
    expect(await store.checkpoints.list(id)).toEqual([])
  })

  test('AB-91 a job whose store is unavailable fails when the store returns, and is reported once', async () => {
    const gate = gated()
    const store = createMemoryJobStore()
    const runtime = createTestRuntime()
    let away = false
    const guard = <P extends unknown[], R>(work: (...given: P) => Promise<R>) => {
      return (...given: P): Promise<R> =>
        away ? Promise.reject(new Error('disk full')) : work(...given)
    }
    const errors: unknown[] = []
    const { jobs, finished } = processOn(
      {
        ...store,
        log: {
          ...store.log,
          append: guard((...given: Parameters<EventLog['append']>) => store.log.append(...given)),
          open: guard((...given: Parameters<EventLog['open']>) => store.log.open(...given)),
        },
        queue: {
          ...store.queue,
          finish: guard((...given: Parameters<JobQueue['finish']>) => store.queue.finish(...given)),
        },
      },
      gate,
      { runtime, onError: (error) => errors.push(error) },
    )
    const { id } = await jobs.start({ flow: alone(gate), resumable: true })
    await gate.begun(1)
    away = true
    gate.open('-')
    for (let n = 0; n < 60; n += 1) await runtime.advance(5000)
    expect((await jobs.get(id))?.state).toBe('running')
    expect(finished).toEqual([])
    away = false
    await runtime.advance(5000)
    await expect
      .poll(() => jobs.get(id))
      .toMatchObject({ state: 'failed', error: { code: 'internal' } })
    expect(kinds(await collectEvents(jobs.events(id))).slice(-2)).toEqual(['error', 'end'])
    await expect.poll(() => finished).toEqual(['failed'])
    expect((await jobs.result(id)).status).toBe('failed')
    expect(errors).toHaveLength(1)
  })

  test('DR-14 an end that the queue rejects is retried unchanged', async () => {
    const gate = gated()
    const store = createMemoryJobStore()
    let failures = 0
    const finish: typeof store.queue.finish = async (...given) => {
      failures += 1
      if (failures < 4) throw new Error('busy')
      return store.queue.finish(...given)
    }
    const { jobs, finished } = processOn({ ...store, queue: { ...store.queue, finish } }, gate)
    const { id } = await jobs.start({ flow: alone(gate), resumable: true })
    await gate.begun(1)
    gate.open('-')
    await expect.poll(() => finished).toEqual(['succeeded'])
    expect((await jobs.get(id))?.state).toBe('succeeded')
  })
})
