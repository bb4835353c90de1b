import { afterEach, describe, expect, test } from 'vitest'
import type { JobQueue } from '@x/flow-engine/store'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { collectEvents, createTestRuntime, flowBuilder } from '@x/flow-engine/testing'
import { gated } from '../engine/gated.ts'
import { begin, closeAll, component, processOf, sharedStore, state } from './asking.ts'

afterEach(closeAll)

const waits = () => {
  let runs = 0
  const made = component('Waits', async (ctx) => {
    runs += 1
    const run = runs
    if (run > 1) return `run ${run}`
    return new Promise<string>((_, reject) => {
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error))
    })
  })
  return { made, count: () => runs }
}

describe('close (DR-12)', () => {
  test('a resumable job continues in the next process at once, counts no crash, and its log stays open', async () => {
    const store = createMemoryJobStore()
    const { made, count } = waits()
    const first = processOf([made], { store })
    const { id } = await begin(first, [made])
    await expect.poll(count).toBe(1)
    const reading = collectEvents(first.events(id))
    const result = first.result(id).catch((error: unknown) => error)
    await first.close({ timeoutMs: 0 })
    expect((await reading).map(({ event }) => event)).toEqual(['vertices_sorted'])
    expect(await result).toMatchObject({ code: 'store_unavailable' })
    expect(await store.queue.get(id)).toMatchObject({ state: 'queued', crashes: 0 })

    const second = processOf([made], { store })
    await second.recover()
    expect((await second.result(id)).text('Waits-1')).toBe('run 2')
    expect(await second.get(id)).toMatchObject({ state: 'succeeded', crashes: 0 })
  })

  test('FL-31 running jobs can finish until the timeout, then fail as interrupted, as queued jobs do', async () => {
    const gate = gated()
    const { made } = waits()
    const jobs = processOf([gate.component, made], { concurrency: 2 })
    const flow = flowBuilder()
    flow.add(gate.component, { id: 'Gated-1' })
    const quick = await jobs.start({ flow: flow.toJSON() })
    const slow = await begin(jobs, [made], { resumable: false })
    const queued = await begin(jobs, [made], { resumable: false })
    const reading = collectEvents(jobs.events(queued.id))
    await gate.begun(1)
    const closing = jobs.close({ timeoutMs: 1_000 })
    gate.open('-')
    await closing
    expect((await jobs.get(quick.id))?.state).toBe('succeeded')
    expect(await jobs.get(slow.id)).toMatchObject({
      state: 'failed',
      error: { code: 'interrupted' },
    })
    const told = (await collectEvents(jobs.events(slow.id))).slice(-2)
    expect(told.map(({ event }) => event)).toEqual(['error', 'end'])
    expect(JSON.stringify(told[0]?.data)).toContain(
      'The server stopped before the build was finished.',
    )
    expect(await jobs.get(queued.id)).toMatchObject({ error: { code: 'interrupted' } })
    expect((await reading).map(({ event }) => event)).toEqual(['error', 'end'])
  })

  test('a non-idempotent vertex is allowed to finish, and is not run again', async () => {
    const store = createMemoryJobStore()
    let runs = 0
    let open = (_text: string): void => undefined
    const once = component(
      'Once',
      () => {
        runs += 1
        return new Promise<string>((resolve) => {
          open = resolve
        })
      },
      { idempotent: false },
    )
    const next = component('Next', async () => 'next')
    const flow = flowBuilder()
    flow.add(once, { id: 'Once-1' })
    flow.add(next, { id: 'Next-1' })
    flow.connect('Once-1.out', 'Next-1.text')
    const runtime = createTestRuntime()
    const first = processOf([once, next], { store, runtime })
    const { id } = await first.start({ flow: flow.toJSON(), resumable: true })
    await expect.poll(() => runs).toBe(1)
    const closing = first.close({ timeoutMs: 200 })
    await runtime.advance(220)
    open('charged')
    await closing
    expect((await store.queue.get(id))?.state).toBe('queued')
    const second = processOf([once, next], { store, runtime })
    await second.recover()
    expect((await second.result(id)).status).toBe('succeeded')
    expect(runs).toBe(1)
  })

  test('FL-73 a job of a shared queue starts nothing more and goes on elsewhere after its step', async () => {
    const store = sharedStore()
    const gate = gated()
    const next = component('Next', async () => 'next')
    const flow = flowBuilder()
    flow.add(gate.component, { id: 'Gated-1' })
    flow.add(next, { id: 'Next-1' })
    flow.connect('Gated-1.out', 'Next-1.text')
    const runtime = createTestRuntime()
    const first = processOf([gate.component, next], { store, runtime })
    const { id } = await first.start({ flow: flow.toJSON(), resumable: true })
    await gate.begun(1)
    const closing = first.close({ timeoutMs: 8000 })
    gate.open('-')
    await closing
    expect(await store.queue.get(id)).toMatchObject({ state: 'queued', crashes: 0 })
    expect((await store.checkpoints.list(id)).map(({ vertexId }) => vertexId)).toEqual(['Gated-1'])
    const second = processOf([gate.component, next], { store, runtime })
    await second.recover()
    expect((await second.result(id)).status).toBe('succeeded')
    expect(gate.started).toEqual(['-'])
  })

  test('FL-73 a process that pauses claims nothing more from a shared queue', async () => {
    const store = sharedStore()
    const quick = component('Quick', async () => 'done')
    const first = processOf([quick], { store })
    const second = processOf([quick], { store, concurrency: 0 })
    await first.recover()
    first.pause()
    const { id } = await begin(second, [quick])
    await first.close({ timeoutMs: 0 })
    expect(await store.queue.get(id)).toMatchObject({ state: 'queued', attempts: 0 })
  })

  test('a job claimed during close is returned to the queue', async () => {
    const store = createMemoryJobStore()
    let arrive = (): void => undefined
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const claim: JobQueue['claim'] = async (...given) => {
      const job = await store.queue.claim(...given)
      if (job !== null) await arrived
      return job
    }
    const { made, count } = waits()
    const jobs = processOf([made], { store: { ...store, queue: { ...store.queue, claim } } })
    const { id } = await begin(jobs, [made])
    await state(jobs, id, 'running')
    const closing = jobs.close()
    arrive()
    await closing
    expect((await store.queue.get(id))?.state).toBe('queued')
    expect(count()).toBe(0)
  })
})

describe('claims that fail (DR-10)', () => {
  test('claims are retried with increasing delay; the first failure and the recovery are reported', async () => {
    const store = createMemoryJobStore()
    const runtime = createTestRuntime()
    let away = true
    let tries = 0
    const claim: JobQueue['claim'] = (...given) => {
      tries += 1
      return away ? Promise.reject(new Error('connection lost')) : store.queue.claim(...given)
    }
    const errors: string[] = []
    const quick = component('Quick', async () => 'done')
    const jobs = processOf([quick], {
      store: { ...store, queue: { ...store.queue, claim } },
      runtime,
      onError: (error) => errors.push((error as Error).message),
    })
    const { id } = await begin(jobs, [quick])
    await runtime.advance(60_000)
    expect(tries).toBeGreaterThan(25)
    expect(tries).toBeLessThan(40)
    away = false
    await runtime.advance(5000)
    await state(jobs, id, 'succeeded')
    expect(errors).toEqual(['connection lost', 'Jobs can be claimed again'])
  })
})
