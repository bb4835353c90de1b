import { createTestRuntime } from '@x/wire'
import { afterEach, describe, expect, test } from 'vitest'
import { StoreUnavailableError, type JobStore } from '@x/flow-engine/store'
import { flowBuilder } from '@x/flow-engine/testing'
import { gated } from '../engine/gated.ts'
import { closeAll, component, processOf, sharedStore, type Made } from './asking.ts'

afterEach(closeAll)

const READERS = 200

const alone = (type: Made) => {
  const flow = flowBuilder()
  flow.add(type, { id: 'Only-1' })
  return flow.toJSON()
}

/** The store with one of its methods replaced. */
function withMethod<Part extends 'queue' | 'log'>(
  store: JobStore,
  part: Part,
  methods: Partial<JobStore[Part]>,
): JobStore {
  return { ...store, [part]: { ...store[part], ...methods } }
}

describe('a fleet under faults', () => {
  test('FL-21 a claim whose answer is lost goes back at once and charges nobody', async () => {
    const store = sharedStore()
    const runtime = createTestRuntime()
    const answers = { lost: 1 }
    const claim: JobStore['queue']['claim'] = async (...given) => {
      const job = await store.queue.claim(...given)
      if (job === null || answers.lost === 0) return job
      answers.lost -= 1
      throw new StoreUnavailableError({ connectionLost: true })
    }
    const once = component('Once', async () => 'done')
    const jobs = processOf([once], { store: withMethod(store, 'queue', { claim }), runtime })
    const { id } = await jobs.start({ flow: alone(once), resumable: true })
    await runtime.advance(1000)
    expect((await jobs.result(id)).status).toBe('succeeded')
    const job = await store.queue.get(id)
    expect(job).toMatchObject({ crashes: 0, attempts: 2 })
    expect(answers.lost).toBe(0)
  })

  test('FL-61 readers of one job share what they read, whatever their number', async () => {
    const store = sharedStore()
    const runtime = createTestRuntime()
    const gate = gated()
    const worker = processOf([gate.component], { store, runtime })
    let calls = 0
    const counted = withMethod(
      withMethod(store, 'log', { read: (...given) => ((calls += 1), store.log.read(...given)) }),
      'queue',
      { get: (...given) => ((calls += 1), store.queue.get(...given)) },
    )
    const web = processOf([gate.component], { store: counted, runtime, concurrency: 0 })
    const { id } = await worker.start({ flow: alone(gate.component) })
    await gate.begun(1)
    const readAll = async (): Promise<string[]> => {
      const seen: string[] = []
      for await (const { event, seq } of web.events(id)) seen.push(`${seq} ${event}`)
      return seen
    }
    const [first, ...others] = Array.from({ length: READERS }, readAll)
    await runtime.advance(10)
    calls = 0
    gate.open('-')
    const seen = await first
    expect(await Promise.all(others)).toEqual(others.map(() => seen))
    expect(seen?.at(-1)).toMatch(/ end$/)
    expect(new Set(seen).size).toBe(seen?.length)
    expect(calls).toBeLessThan(READERS / 5)
  })

  test('FL-33 a due time starts one job, wherever its process dies between two statements', async () => {
    const once = component('Once', async () => 'done')
    for (let fault = 0; ; fault += 1) {
      const store = sharedStore()
      const runtime = createTestRuntime({ start: new Date('2026-01-01T00:00:30Z') })
      let left = fault
      let dead = false
      const mortal = <Part extends object>(part: Part): Part =>
        new Proxy(part, {
          get(target, key) {
            const value: unknown = Reflect.get(target, key)
            if (typeof value !== 'function' || !['due', 'advance', 'enqueue'].includes(String(key)))
              return value
            return async (...given: unknown[]): Promise<unknown> => {
              if (dead) return new Promise(() => undefined)
              const isDue = runtime.now() >= new Date('2026-01-01T00:01:00Z')
              const isLast = isDue && left === 0
              if (isDue) left -= 1
              const result: unknown = await Reflect.apply(value, target, given)
              if (!isLast) return result
              dead = true
              return new Promise(() => undefined)
            }
          },
        })
      const { schedules } = store
      const first = processOf([once], {
        store: {
          ...store,
          queue: mortal(store.queue),
          ...(schedules && { schedules: mortal(schedules) }),
        },
        runtime,
        concurrency: 0,
      })
      await first.schedule('minutely', {
        cron: '* * * * *',
        request: { flow: alone(once), userId: 'u' },
      })
      await runtime.advance(35_000)
      const died = dead
      dead = true
      const second = processOf([once], { store, runtime, concurrency: 0 })
      await second.recover()
      await runtime.advance(10_000)
      const { total } = (await store.queue.list?.({ userId: 'u', offset: 0, limit: 10 })) ?? {}
      expect({ fault, total }).toEqual({ fault, total: 1 })
      if (!died) break
      expect(fault).toBeLessThan(50)
    }
  })
})
