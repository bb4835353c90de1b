import { afterEach, expect, test } from 'vitest'
import { createSystemRuntime } from '@x/wire'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { begin, closeAll, component, processOf, state } from './asking.ts'

afterEach(closeAll)

test('DR-91: a suspended job keeps no timer and no request in its process', async () => {
  const system = createSystemRuntime()
  const waits = new Set<object>()
  const runtime: typeof system = {
    ...system,
    async sleep(ms, signal, options) {
      const wait = {}
      waits.add(wait)
      try {
        await system.sleep(ms, signal, options)
      } finally {
        waits.delete(wait)
      }
    },
  }
  const asks = component('Asks', async (ctx) => String(await ctx.suspend('sure?')))
  const jobs = processOf([asks], { runtime, store: createMemoryJobStore() })
  const ids: string[] = []
  for (let number = 0; number < 20; number += 1) ids.push((await begin(jobs, [asks])).id)
  for (const id of ids) await state(jobs, id, 'suspended')
  // The looks for sleepers and expired questions; the last jobs give back their heartbeats and flushes.
  await expect.poll(() => waits.size).toBeLessThanOrEqual(1)
  expect(jobs.own().size).toBe(0)
})
