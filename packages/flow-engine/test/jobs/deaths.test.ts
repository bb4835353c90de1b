import { afterEach, describe, expect, test } from 'vitest'
import { createBuildJobs, createRegistry } from '@x/flow-engine'
import type { JobQueue, JobStore } from '@x/flow-engine/store'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { flowBuilder } from '@x/flow-engine/testing'
import { createTestRuntime, type TestRuntime } from '@x/wire'
import { library } from '../engine/dependencies.ts'
import { closeAll, component, processOf, sharedStore } from './asking.ts'

afterEach(closeAll)

/** A store that a process reaches until it dies: nothing that it does afterwards arrives. */
function mortal(store: JobStore) {
  let dead = false
  const never = new Promise<never>(() => undefined)
  const cut = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key)
        if (typeof value !== 'function') return value
        return (...given: unknown[]): unknown =>
          dead ? never : Reflect.apply(value, target, given)
      },
    })
  const cutOff = {
    ...store,
    queue: cut(store.queue),
    log: cut(store.log),
    checkpoints: cut(store.checkpoints),
  }
  return { store: cutOff, die: () => void (dead = true) }
}

describe('deaths of processes', () => {
  /** Starts one process after the other; the poison ends each that runs it. */
  async function outlive(concurrency: number) {
    const store = sharedStore()
    const runtime = createTestRuntime()
    const harmless = component('Harmless', async () => 'done')
    let alive: ReturnType<typeof mortal> | undefined
    let deaths = 0
    const poison = component('Poison', () => {
      deaths += 1
      alive?.die()
      return new Promise<string>(() => undefined)
    })
    /** Its only step takes so long that it never outlives a poison that starts beside it. */
    const slow = component('Slow', async () => {
      await runtime.sleep(1000)
      return 'done'
    })
    const types = [harmless, poison, slow]
    const client = processOf(types, { store, runtime, concurrency: 0 })
    const start = (type: typeof poison) => {
      const flow = flowBuilder()
      flow.add(type, { id: 'Last-1' })
      return client.start({ flow: flow.toJSON(), resumable: true })
    }
    const run = async (): Promise<void> => {
      alive = mortal(store)
      // Not closed at the end: the dead do not answer.
      const jobs = createBuildJobs({
        components: createRegistry([...library, ...types]),
        store: alive.store,
        runtime,
        concurrency,
        concurrencyPerUser: null,
      })
      await jobs.recover()
      for (let step = 0; step < 12; step += 1) await runtime.advance(5000)
    }
    return { client, start, run, harmless, poison, slow, deaths: () => deaths }
  }
  const endedThrice = {
    state: 'failed',
    error: { code: 'interrupted', detail: 'The build ended its process 3 times' },
  }

  test('FL-21 a poison job costs three processes and nobody else', async () => {
    const { client, start, run, harmless, poison, deaths } = await outlive(4)
    const bad = await start(poison)
    const good = [await start(harmless), await start(harmless), await start(harmless)]
    for (let n = 0; n < 6; n += 1) await run()
    expect(await client.get(bad.id)).toMatchObject(endedThrice)
    for (const { id } of good) expect(await client.get(id)).toMatchObject({ state: 'succeeded' })
    expect(deaths()).toBe(3)
  })

  test('FL-21 poison jobs beside suspects take none of them along', async () => {
    const { client, start, run, poison, slow } = await outlive(6)
    const good = [await start(slow), await start(slow)]
    const bad = [await start(poison), await start(poison)]
    await run()
    // Fresh ones, each beside a suspect that has done nothing.
    for (let n = 0; n < 2; n += 1) bad.push(await start(poison))
    for (let n = 0; n < 16; n += 1) await run()
    for (const { id } of bad) expect(await client.get(id)).toMatchObject(endedThrice)
    for (const { id } of good) expect(await client.get(id)).toMatchObject({ state: 'succeeded' })
  })
})

/** A queue with a clock of its own. */
function clocked(store: JobStore, clock: TestRuntime): JobStore {
  const queue: JobQueue = { ...store.queue, shared: true, now: async () => clock.now() }
  return { ...store, queue }
}

describe('FL-24 the clock of the store decides', () => {
  test.each([
    ['ahead of', 120_000],
    ['behind', -120_000],
  ])('a process two minutes %s takes over nothing early, and says so', async (way, skew) => {
    const clock = createTestRuntime()
    const store = clocked(createMemoryJobStore(), clock)
    const errors: string[] = []
    const skewed: TestRuntime = {
      ...clock,
      now: () => new Date(clock.now().getTime() + skew),
    }
    let runs = 0
    const held = component('Held', () => {
      runs += 1
      return new Promise<string>(() => undefined)
    })
    const first = processOf([held], { store, runtime: clock })
    const second = processOf([held], {
      store,
      runtime: skewed,
      onError: (error) => errors.push((error as Error).message),
    })
    await second.recover()
    const flow = flowBuilder()
    flow.add(held, { id: 'Held-1' })
    const { id, createdAt } = await first.start({ flow: flow.toJSON(), resumable: true })
    await expect.poll(() => runs).toBe(1)
    await clock.advance(60_000)
    expect(runs).toBe(1)
    expect(await store.queue.get(id)).toMatchObject({ attempts: 1, crashes: 0 })
    expect(errors).toEqual([
      `The clock of this process is 120.0 s ${way} the database's. Check its time synchronisation.`,
    ])
    const other = await second.start({ flow: flow.toJSON(), resumable: true })
    expect(other.createdAt.getTime() - createdAt.getTime()).toBe(60_000)
  })
})
