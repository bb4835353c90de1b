import { afterEach, describe, expect, test } from 'vitest'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { begin, closeAll, component, processOf, state } from './asking.ts'

afterEach(closeAll)

/** A component that counts its builds and gives a text of that length. */
function wordy(type: string, length: number, facts: { idempotent?: boolean } = {}) {
  const count = { builds: 0 }
  const made = component(
    type,
    async () => {
      count.builds += 1
      return 'x'.repeat(length)
    },
    facts,
  )
  return { made, count }
}

/** Asks, so that the job rests and goes on. */
const asks = component('Asks', async (ctx) => String(await ctx.suspend('sure?')))

describe('DR-19: limits on the stored state of a job', () => {
  test('DR-19: checkpoints over checkpointBytes are not kept, and their vertices are built again', async () => {
    const [small, large] = [wordy('Small', 10), wordy('Large', 5000)]
    const jobs = processOf([small.made, large.made, asks])
    const limits = { checkpointBytes: 4000 }
    const { id } = await begin(jobs, [small.made, large.made, asks], { limits })
    await state(jobs, id, 'suspended')
    await jobs.resume(id, 'yes')
    expect((await jobs.result(id)).status).toBe('succeeded')
    expect([small.count.builds, large.count.builds]).toEqual([1, 2])
  })

  test('DR-19: checkpoints of earlier claims count, and a replaced state counts once', async () => {
    const first = wordy('First', 1500)
    const second = wordy('Second', 1500)
    const store = createMemoryJobStore()
    const later = component('Later', async (ctx) => {
      for (let number = 0; number < 20; number += 1) await ctx.step(`s${number % 2}`, () => 'y')
      const answer = String(await ctx.suspend('sure?'))
      await ctx.step('large', () => 'z'.repeat(3000))
      await ctx.suspend('really?')
      return answer
    })
    const jobs = processOf([first.made, second.made, later], { store })
    const limits = { checkpointBytes: 5500 }
    const { id } = await begin(jobs, [first.made, second.made, later], { limits })
    await state(jobs, id, 'suspended')
    const kept = async (): Promise<string[]> =>
      (await store.checkpoints.list(id)).map(({ vertexId }) => vertexId)
    expect(await kept()).toEqual(expect.arrayContaining(['First-1', 'Second-1']))

    const { requestId } = (await jobs.get(id))?.question ?? {}
    await jobs.resume(id, 'yes')
    await expect
      .poll(async () => (await jobs.get(id))?.question?.requestId ?? requestId)
      .not.toBe(requestId)
    expect((await kept()).some((name) => name.includes('large'))).toBe(false)
    await jobs.resume(id, 'yes')
    expect((await jobs.result(id)).status).toBe('succeeded')
    expect([first.count.builds, second.count.builds]).toEqual([1, 1])
  })

  test('DR-19: a non-idempotent vertex over checkpointBytes fails and stays failed', async () => {
    const large = wordy('Large', 5000, { idempotent: false })
    const jobs = processOf([large.made, asks])
    const { id } = await begin(jobs, [large.made, asks], { limits: { checkpointBytes: 4000 } })
    await state(jobs, id, 'suspended')
    await jobs.resume(id, 'yes')
    const result = await jobs.result(id)
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'limit_exceeded', message: expect.stringContaining('checkpointBytes') },
    })
    expect(large.count.builds).toBe(1)
  })

  test('DR-19: a non-idempotent vertex with a step over checkpointBytes fails', async () => {
    const paid = { times: 0 }
    const pays = component(
      'Pays',
      async (ctx) => {
        await ctx.step('pay', () => {
          paid.times += 1
          return 'x'.repeat(5000)
        })
        return 'paid'
      },
      { idempotent: false },
    )
    const jobs = processOf([pays])
    const { id } = await begin(jobs, [pays], { limits: { checkpointBytes: 4000 } })
    expect(await jobs.result(id)).toMatchObject({
      status: 'failed',
      error: { code: 'limit_exceeded' },
    })
    expect(paid.times).toBe(1)
  })
})
