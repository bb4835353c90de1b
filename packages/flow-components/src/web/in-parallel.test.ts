import { describe, expect, test } from 'vitest'
import { turnsDuring } from '@x/test-kit'
import { inParallel } from './in-parallel.ts'

const signal = new AbortController().signal

describe('inParallel', () => {
  test('returns results in the order of the items, whichever finishes first', async () => {
    const finish: (() => void)[] = []
    const results = inParallel([1, 2, 3], { limit: 3, signal }, async (item) => {
      await new Promise<void>((resolve) => finish.push(resolve))
      return item * 10
    })
    for (const done of finish.toReversed()) done()
    expect(await results).toEqual([10, 20, 30])
  })

  test('never runs more at once than the limit', async () => {
    let open = 0
    let most = 0
    await inParallel([1, 2, 3, 4, 5], { limit: 2, signal }, async () => {
      open += 1
      most = Math.max(most, open)
      await Promise.resolve()
      open -= 1
    })
    expect(most).toBe(2)
  })

  test('the first failure cancels the others and starts no more', async () => {
    const started: number[] = []
    const cancelled: number[] = []
    const done = inParallel([1, 2, 3], { limit: 2, signal }, async (item, stop) => {
      started.push(item)
      stop.addEventListener('abort', () => cancelled.push(item))
      if (item === 1) throw new Error('one failed')
      await new Promise(() => undefined)
    })
    await expect(done).rejects.toThrow('one failed')
    expect(started).toEqual([1, 2])
    expect(cancelled).toEqual([1, 2])
  })

  test('starts nothing after the run was cancelled', async () => {
    const stopped = AbortSignal.abort(new Error('cancelled'))
    const work = (): Promise<void> => Promise.reject(new Error('started'))
    await expect(inParallel([1], { limit: 1, signal: stopped }, work)).rejects.toThrow('cancelled')
  })

  test('AB-29 work that ends at once leaves turns to others, and can be cancelled', async () => {
    const items = Array.from({ length: 10_000 }, (_, at) => at)
    const { turns, result } = await turnsDuring(() =>
      inParallel(items, { limit: 16, signal }, (item) => Promise.resolve(item)),
    )
    expect(result).toEqual(items)
    expect(turns).toBeGreaterThan(20)
    const stop = new AbortController()
    setImmediate(() => stop.abort(new Error('cancelled')))
    const endless = inParallel(items, { limit: 16, signal: stop.signal }, () => Promise.resolve())
    await expect(endless).rejects.toThrow('cancelled')
  })
})
