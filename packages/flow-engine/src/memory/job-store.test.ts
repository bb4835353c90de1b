import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { at, newJob } from '../contract/job-fixtures.ts'
import { defineJobStoreContract } from '../contract/job-store-spec.ts'
import { createMemoryJobStore } from './job-store.ts'

defineJobStoreContract(
  { describe, it, beforeEach, afterEach },
  { name: 'memory', create: createMemoryJobStore },
)

const MIB = 1024 * 1024

describe('DR-19: finished jobs in memory', () => {
  test('DR-19: over 256 MiB the oldest are removed, except those that finished within the retention time', async () => {
    const { queue, log, checkpoints } = createMemoryJobStore()
    // Repeated strings count with their full length, although V8 allocates no memory for them.
    const large = 'x'.repeat(100 * MIB)
    const ids = ['a', 'b', 'c', 'd', 'e']
    for (const [number, id] of ids.entries()) {
      await queue.enqueue(newJob(id))
      await queue.claim('w', at(1000), at(0))
      if (number % 2 === 0) await log.append(id, [{ seq: 0, event: 'end', data: large }])
      else await checkpoints.put(id, 'v', large)
      await queue.finish(id, 'w', { state: 'succeeded', finishedAt: at(number) })
    }
    await queue.enqueue(newJob('waits'))
    const trim = (spare: number) => queue.trim({ before: at(-1000), keep: 100, spare: at(spare) })
    expect(await trim(0)).toEqual([])
    expect(await trim(2)).toEqual(['a', 'b'])
    await log.remove(['a', 'b'])
    expect(await trim(10)).toEqual(['c'])
    expect(await trim(10)).toEqual([])
    expect(await queue.get('waits')).toMatchObject({ state: 'queued' })
  })
})
