// Runs each night (.ci/night).
import { describe, expect, test } from 'vitest'
import { memoryUsage } from 'node:process'
import { newTrace, run, testRunner } from './python-runs.ts'

const runner = testRunner({
  timeoutMs: 1000,
  memoryMb: 128,
  maxInterpreters: 2,
  maxOutputBytes: 1024 * 1024,
})
const patient = testRunner({ memoryMb: 128 })
const megabytes = (): number => memoryUsage().rss / 1024 / 1024

describe('time limits', () => {
  test.each([
    ['an endless loop', 'while True: pass'],
    [
      'a loop that catches everything',
      'while True:\n    try:\n        while True: pass\n    except BaseException: pass',
    ],
    ['a regular expression', 'import re\nre.match("(a+)+$", "a" * 40 + "b")'],
    ['sleep', 'import time\ntime.sleep(60)'],
    ['asynchronous sleep', 'import asyncio\nasyncio.run(asyncio.sleep(60))'],
  ])('PY-11: %s ends at the time limit', async (_what, body) => {
    await expect(run(runner, body)).rejects.toThrow('Mine: time limit of 1 s')
    expect(await run(runner, 'return 1')).toBe(1)
  })

  test('PY-11: reading a class ends at the time limit', async () => {
    const signal = new AbortController().signal
    await expect(runner.load('import os\nwhile True: pass', { signal })).rejects.toThrow(
      'time limit of 1 s',
    )
  })

  test('PY-14: the signal of the run ends a running call and removes a waiting one from the queue', async () => {
    const stop = new AbortController()
    const calls = [1, 2, 3].map(() => run(runner, 'while True: pass', { signal: stop.signal }))
    await expect.poll(() => runner.stats()).toMatchObject({ busy: 1, waiting: 2 })
    stop.abort(new Error('cancelled'))
    const ends = await Promise.allSettled(calls)
    expect(ends.map((end) => end.status === 'rejected' && String(end.reason))).toEqual(
      calls.map(() => 'Error: cancelled'),
    )
    await expect
      .poll(() => runner.stats(), { timeout: 20_000 })
      .toMatchObject({ busy: 0, waiting: 0 })
  })
})

describe('memory and output limits', () => {
  test.each([
    ['many pieces', 'kept = []\nwhile True: kept.append(bytearray(1_000_000))'],
    ['one piece', 'return len(bytearray(1 << 30))'],
    ['a text', 'text = "x"\nwhile True: text += text'],
  ])(
    'PY-12: %s: the call ends at the memory limit, and the process frees the memory',
    async (_what, body) => {
      await run(runner, 'return 1')
      const before = megabytes()
      await expect(run(runner, body)).rejects.toThrow('Mine: memory limit of 128 MB')
      await expect.poll(() => megabytes() - before, { timeout: 10_000 }).toBeLessThan(100)
      expect(await run(runner, 'return 1')).toBe(1)
    },
  )

  test('PY-12: a value over the output limit is refused', async () => {
    await expect(run(runner, 'return "x" * 2_000_000')).rejects.toThrow(
      'Mine: output limit of 1 MB',
    )
  })

  test('PY-12: printed text and log lines are truncated', async () => {
    const trace = newTrace()
    const body = 'print("x" * 100_000)\nfor n in range(3000): self.log("y" * 20_000)\nreturn 1'
    await run(patient, body, { trace })
    const printed = trace.logs.filter(([name]) => name === 'stdout')
    expect(String(printed[0]?.[1])).toHaveLength(64 * 1024)
    const lines = trace.logs.filter(([name]) => name === 'Log')
    expect(lines).toHaveLength(1000)
    expect(String(lines[0]?.[1])).toHaveLength(10_000)
  })

  test('PY-8: endless recursion and os._exit fail only their call', async () => {
    await expect(run(runner, 'def f(n): return f(n + 1)\nf(0)')).rejects.toThrow(
      'maximum recursion',
    )
    await expect(run(runner, 'import os\nos._exit(1)')).rejects.toThrow(
      'terminated its interpreter',
    )
    expect(await run(runner, 'return 1')).toBe(1)
  })
})

describe('many concurrent calls', () => {
  test('PY-13: the 22nd call of a user is refused; another user is served', async () => {
    const stop = new AbortController()
    const calls = Array.from({ length: 22 }, () =>
      run(runner, 'while True: pass', { signal: stop.signal }),
    )
    const ended = Promise.allSettled(calls)
    expect(await run(runner, 'return 1', { userId: 'bob' })).toBe(1)
    stop.abort(new Error('cancelled'))
    const refused = (await ended).filter(
      (one) => one.status === 'rejected' && /Too much code/.test(String(one.reason)),
    )
    expect(refused.length).toBeGreaterThanOrEqual(1)
  })

  test('PY-60: a hundred concurrent calls of users get a hundred answers', async () => {
    const users = ['ann', 'bob', 'cem', 'dee', 'eva']
    const calls = Array.from({ length: 100 }, (_, at) =>
      run(runner, 'return self.n', { userId: users[at % 5] ?? '', values: { n: at } }),
    )
    const answers = await Promise.allSettled(calls)
    expect(answers.map((one) => (one.status === 'fulfilled' ? one.value : -1))).toEqual(
      answers.map((_, at) => at),
    )
  })

  test('PY-60: memory does not grow over 200 calls', { timeout: 900_000 }, async () => {
    const repeat = async (count: number, userId: string): Promise<void> => {
      for (let at = 0; at < count; at += 1) await run(runner, 'return "x" * 100_000', { userId })
    }
    await Promise.all([repeat(10, 'ann'), repeat(10, 'bob')])
    const before = megabytes()
    await Promise.all([repeat(100, 'ann'), repeat(100, 'bob')])
    // The memory of the last interpreters goes a moment after they have ended.
    await expect.poll(() => megabytes() - before, { timeout: 60_000 }).toBeLessThan(60)
  })

  test('PY-4: an idle runner ends its interpreters', async () => {
    const short = testRunner({ idleMs: 200 })
    await run(short, 'return 1')
    await expect.poll(() => short.stats().warm, { timeout: 5000 }).toBe(1)
    await expect.poll(() => short.stats().warm, { timeout: 5000 }).toBe(0)
    await short.close()
    await expect(run(short, 'return 1')).rejects.toThrow('closed')
  })
})
