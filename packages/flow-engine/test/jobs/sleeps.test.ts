import { afterEach, describe, expect, test } from 'vitest'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { collectEvents, createTestRuntime } from '@x/flow-engine/testing'
import { begin, closeAll, component, processOf, state } from './asking.ts'

afterEach(closeAll)

describe('steps and sleeps', () => {
  test('DR-41: a step runs once, even across answers; the same name twice is two steps', async () => {
    const calls: string[] = []
    const works = component('Works', async (ctx) => {
      const values: unknown[] = []
      for (const value of [{ n: 1 }, [2n, new Date(0)]]) {
        values.push(
          await ctx.step('charge', () => {
            calls.push('charge')
            return value
          }),
        )
      }
      await ctx.suspend('sure?')
      return `${JSON.stringify(values[0])} ${String((values[1] as unknown[])[0])}`
    })
    const jobs = processOf([works])
    const { id } = await begin(jobs, [works])
    await state(jobs, id, 'suspended')
    await jobs.resume(id, 'yes')
    expect((await jobs.result(id)).text('Works-1')).toBe('{"n":1} 2')
    expect(calls).toEqual(['charge', 'charge'])
  })

  test('DR-55: a long sleep needs no process, accepts no answer, and ends once', async () => {
    const runtime = createTestRuntime()
    const seen: string[] = []
    const sleeps = component('Sleeps', async (ctx) => {
      await ctx.step('welcome', () => void seen.push('welcome'))
      await ctx.sleep('3d')
      await ctx.step('tips', () => void seen.push('tips'))
      await ctx.sleep(new Date(0))
      return 'sent'
    })
    const store = createMemoryJobStore()
    const first = processOf([sleeps], { runtime, store })
    const { id } = await begin(first, [sleeps])
    await state(first, id, 'suspended')
    const record = await first.get(id)
    expect(record?.wakeAt).toEqual(new Date(runtime.now().getTime() + 3 * 86_400_000))
    expect(record?.question).toBeUndefined()
    expect(await first.pending()).toEqual([])
    await expect(first.resume(id, 'wake up')).rejects.toMatchObject({ code: 'conflict' })
    await first.close()
    await runtime.advance(3 * 86_400_000)
    const second = processOf([sleeps], { runtime, store })
    await second.recover()
    expect((await second.result(id)).text('Sleeps-1')).toBe('sent')
    expect(seen).toEqual(['welcome', 'tips'])
  })

  test('DR-55: short sleeps wait in memory; an invalid duration is refused; a cancel ends the sleep', async () => {
    const runtime = createTestRuntime()
    const naps = component('Naps', async (ctx) => {
      await ctx.sleep('9s')
      return 'rested'
    })
    const odd = component('Odd', async (ctx) => {
      await ctx.sleep('a while')
      return ''
    })
    const long = component('Long', async (ctx) => {
      await ctx.sleep('1h30m')
      return ''
    })
    const jobs = processOf([naps, odd, long], { runtime })
    const short = await begin(jobs, [naps])
    await runtime.advance(9000)
    expect((await jobs.result(short.id)).text('Naps-1')).toBe('rested')
    const wrong = await begin(jobs, [odd])
    expect((await jobs.result(wrong.id)).error?.code).toBe('invalid_request')
    const sleeper = await begin(jobs, [long])
    await state(jobs, sleeper.id, 'suspended')
    expect(await jobs.cancel(sleeper.id)).toEqual({ success: true })
    expect((await jobs.result(sleeper.id)).status).toBe('cancelled')
  })
})

describe('crashes', () => {
  test('DR-11: a job that crashes its process three times fails', async () => {
    const hangs = component('Hangs', () => new Promise<string>(() => undefined))
    const store = createMemoryJobStore()
    const first = processOf([hangs], { store })
    const { id } = await begin(first, [hangs])
    await state(first, id, 'running')
    for (const crashes of [1, 2, 3]) {
      const next = processOf([hangs], { store })
      await next.recover()
      if (crashes < 3) {
        await state(next, id, 'running')
        continue
      }
      expect((await collectEvents(next.events(id))).at(-1)?.event).toBe('end')
      expect(await next.get(id)).toMatchObject({
        state: 'failed',
        crashes: 3,
        error: { code: 'interrupted', detail: 'The build ended its process 3 times' },
      })
    }
  })
})
