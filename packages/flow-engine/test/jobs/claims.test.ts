import { afterEach, expect, test } from 'vitest'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import type { JobStore } from '@x/flow-engine/store'
import { begin, closeAll, component, processOf, state } from './asking.ts'

afterEach(closeAll)

const box = {
  seal: async (text: string) => text,
  open: async (sealed: string) => sealed,
}
const says = component('Says', async () => 'hello')

/** A store of one process that counts the claims. */
function countedStore(): { readonly store: JobStore; readonly claims: () => number } {
  const store = createMemoryJobStore()
  let claims = 0
  const claim: typeof store.queue.claim = (...given) => {
    claims += 1
    return store.queue.claim(...given)
  }
  return { store: { ...store, queue: { ...store.queue, claim } }, claims: () => claims }
}

test('FE-63: a job of the only process is claimed once, without claims in vain', async () => {
  const { store, claims } = countedStore()
  const jobs = processOf([says], { store, secrets: box })
  const first = await begin(jobs, [says])
  await state(jobs, first.id, 'succeeded')
  const before = claims()
  for (let number = 0; number < 20; number += 1) {
    const { id } = await begin(jobs, [says], { resumable: number % 2 === 0 })
    await jobs.result(id)
    await state(jobs, id, 'succeeded')
  }
  expect(claims() - before).toBe(20)
})

test('FE-63: every job of a burst is run, whatever is claimed meanwhile', async () => {
  const { store } = countedStore()
  const waits = component('Waits', async (ctx) => {
    await new Promise((resolve) => setTimeout(resolve, ctx.vertexId.length % 3))
    return 'done'
  })
  const jobs = processOf([waits], { store, secrets: box, concurrency: 3, concurrencyPerUser: 2 })
  const started = Array.from({ length: 150 }, async (_, number) => {
    if (number % 7 === 0) await new Promise((resolve) => setTimeout(resolve, number % 11))
    const userId = `user-${number % 4}`
    return begin(jobs, [waits], { resumable: number % 2 === 0, userId })
  })
  const ids = (await Promise.all(started)).map(({ id }) => id)
  const results = await Promise.all(ids.map((id) => jobs.result(id)))
  expect(results.map(({ status }) => status)).toEqual(ids.map(() => 'succeeded'))
})

test('FE-63: jobs of an earlier process are all claimed after a start', async () => {
  const { store } = countedStore()
  const first = processOf([says], { store, concurrency: 0 })
  const ids: string[] = []
  for (let number = 0; number < 7; number += 1)
    ids.push((await begin(first, [says], { userId: 'one' })).id)
  const second = processOf([says], { store, concurrency: 2, concurrencyPerUser: 1 })
  await second.recover()
  for (const id of ids) await state(second, id, 'succeeded')
  expect(second.own().size).toBe(0)
})
