import { createTestRuntime } from '@x/wire'
import { expect, test } from 'vitest'
import { createStoreClock } from './store-clock.ts'

/** A clock of a store that is `aheadMs` ahead of the process, and counts how often it is read. */
function storeOf(aheadMs: number) {
  const runtime = createTestRuntime()
  const errors: string[] = []
  const state = { aheadMs, reads: 0, fails: false }
  const now = () => {
    state.reads += 1
    if (state.fails) return Promise.reject(new Error('the database is away'))
    return Promise.resolve(new Date(runtime.now().getTime() + state.aheadMs))
  }
  const clock = createStoreClock(runtime, { now }, (error) => errors.push((error as Error).message))
  return { runtime, clock, state, errors }
}

test('FL-24: the runtime has the clock of the store, also while time goes by', async () => {
  const { runtime, clock, errors } = storeOf(1500)
  expect(clock.runtime.now()).toEqual(runtime.now())
  await clock.measure()
  expect(clock.offsetMs()).toBe(-1500)
  await runtime.advance(60_000)
  expect(clock.runtime.now().getTime() - runtime.now().getTime()).toBe(1500)
  expect(errors).toEqual([])
})

test('FL-24: a process whose clock is off is told by how much, and in which direction', async () => {
  const behind = storeOf(120_000)
  await behind.clock.measure()
  const ahead = storeOf(-6_000)
  await ahead.clock.measure()
  expect([...behind.errors, ...ahead.errors]).toEqual([
    "The clock of this process is 120.0 s behind the database's. Check its time synchronisation.",
    "The clock of this process is 6.0 s ahead of the database's. Check its time synchronisation.",
  ])
})

test('FL-24: the clock is read again every five minutes until the end, also after a reading that failed', async () => {
  const { runtime, clock, state, errors } = storeOf(0)
  await clock.measure()
  const stop = new AbortController()
  const following = clock.follow(stop.signal)
  state.fails = true
  await runtime.advance(5 * 60_000)
  expect(errors).toEqual(['the database is away'])
  state.fails = false
  state.aheadMs = 2000
  await runtime.advance(5 * 60_000)
  expect([state.reads, clock.offsetMs()]).toEqual([3, -2000])
  stop.abort(new Error('closed'))
  await expect(following).rejects.toThrow('closed')
  await runtime.advance(60 * 60_000)
  expect(state.reads).toBe(3)
})

test('FL-24: a store without a clock of its own has that of the process', async () => {
  const runtime = createTestRuntime()
  const clock = createStoreClock(runtime, {}, () => undefined)
  await clock.measure()
  await clock.follow(new AbortController().signal)
  expect(clock.runtime).toBe(runtime)
})
