import { describe, expect, test, vi } from 'vitest'
import { createSystemRuntime, createTestRuntime, withinTime } from './index.ts'

describe('createSystemRuntime', () => {
  test('provides time, ids, random bytes and abortable sleeps', async () => {
    const runtime = createSystemRuntime()
    expect(Math.abs(runtime.now().getTime() - Date.now())).toBeLessThan(1000)
    expect(runtime.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    expect(runtime.randomBytes(5)).toHaveLength(5)
    await runtime.sleep(1)
    await expect(runtime.sleep(60_000, AbortSignal.abort('late'))).rejects.toBe('late')
    const controller = new AbortController()
    const waiting = runtime.sleep(60_000, controller.signal)
    controller.abort('stop')
    await expect(waiting).rejects.toBe('stop')
  })
})

describe('withinTime', () => {
  const late = (): Error => new Error('late')

  test('settles like the promise, and rejects if that takes too long', async () => {
    await expect(withinTime(Promise.resolve(1), 60_000, late)).resolves.toBe(1)
    await expect(withinTime(Promise.reject(new Error('own')), 60_000, late)).rejects.toThrow('own')
    await expect(withinTime(new Promise(() => undefined), 1, late)).rejects.toThrow('late')
  })

  test('leaves no timer behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await withinTime(Promise.resolve(), 60_000, late)
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('createTestRuntime', () => {
  test('wakes sleepers in order, each at its time', async () => {
    const runtime = createTestRuntime({ start: new Date(0) })
    const seen: [string, number][] = []
    const sleeper = async (name: string, ms: number): Promise<void> => {
      await runtime.sleep(ms)
      seen.push([name, runtime.now().getTime()])
    }
    const all = [sleeper('late', 20), sleeper('early', 10)]
    await runtime.advance(15)
    expect(seen).toEqual([['early', 10]])
    await runtime.advance(5)
    await Promise.all(all)
    expect(seen).toEqual([
      ['early', 10],
      ['late', 20],
    ])
  })

  test('generates sequential ids and repeatable random bytes', () => {
    const [one, two] = [createTestRuntime({ seed: 7 }), createTestRuntime({ seed: 7 })]
    expect([one.uuid(), one.uuid()]).toEqual([
      '00000000-0000-4000-8000-000000000001',
      '00000000-0000-4000-8000-000000000002',
    ])
    expect(one.randomBytes(8)).toEqual(two.randomBytes(8))
  })
})
