import { describe, expect, test } from 'vitest'
import { textAnswer } from './long-text.ts'
import { createResponseMemoryLimit } from './response-memory-limit.ts'

const MIB = 1024 * 1024
const long = 'x'.repeat(MIB)
const request = new Request('http://h/')

describe('AB-38 responses that are not read', () => {
  test('beyond the limit of their reader are refused until one is read or left', async () => {
    const unread = createResponseMemoryLimit(3 * MIB)
    const ask = (reader: string) =>
      textAnswer(request, [long], { admit: () => unread.admit(reader, long.length, true) })
    const begun = []
    for (let n = 0; n < 3; n += 1) {
      const { body } = await ask('ada')
      const reader = body?.getReader()
      await reader?.read()
      begun.push(reader)
    }
    await expect(ask('ada')).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining('At most 3 MB') as string,
      headers: { 'retry-after': '5' },
    })
    expect((await (await ask('ben')).text()).length).toBe(MIB)
    await begun[0]?.cancel()
    expect((await (await ask('ada')).text()).length).toBe(MIB)
    expect((await (await ask('ada')).text()).length).toBe(MIB)
  })

  test('count from their first part on, and one of any length is sent', async () => {
    const unread = createResponseMemoryLimit(1)
    const admit = () => unread.admit('ada', 100, true)
    admit()
    admit().end()
    const one = admit()
    one.begin()
    one.begin()
    expect(admit).toThrow('Read or close one first')
    expect(unread.admit('ada', 100, false)).toBeDefined()
    one.end()
    one.end()
    one.begin()
    expect(admit).not.toThrow()
  })

  test('of parts count with the part they hold, and break where it is too much', async () => {
    const unread = createResponseMemoryLimit(2.5 * MIB)
    let isLeft = false
    const parts = (lengths: readonly number[]) =>
      (async function* () {
        try {
          for (const length of lengths) yield 'x'.repeat(length * MIB)
        } finally {
          isLeft = true
        }
      })()
    const ask = (lengths: readonly number[]) =>
      textAnswer(request, parts(lengths), { admit: (size) => unread.admit('ada', size, true) })
    const paused = (await ask([1, 1, 1])).body?.getReader()
    await paused?.read()
    expect((await (await ask([1, 1.5, 1])).text()).length).toBe(3.5 * MIB)
    isLeft = false
    await expect((await ask([1, 2])).text()).rejects.toThrow('At most')
    expect(isLeft).toBe(true)
    await paused?.cancel()
    expect((await (await ask([1, 2])).text()).length).toBe(3 * MIB)
    // One alone may be of any length.
    expect((await (await ask([1, 3])).text()).length).toBe(4 * MIB)
  })

  test('are no longer read from their source once they are refused', async () => {
    let isLeft = false
    const parts = (async function* () {
      try {
        for (;;) yield long
      } finally {
        isLeft = true
      }
    })()
    const refused = textAnswer(request, parts, {
      admit: () => {
        throw new Error('too many')
      },
    })
    await expect(refused).rejects.toThrow('too many')
    expect(isLeft).toBe(true)
  })

  test('are prepared a few at a time for each reader, failed ones too', async () => {
    const unread = createResponseMemoryLimit(1)
    const seen = { running: 0, most: 0, done: 0 }
    const work = async (): Promise<void> => {
      seen.running += 1
      seen.most = Math.max(seen.most, seen.running)
      await new Promise((resolve) => setImmediate(resolve))
      seen.running -= 1
      seen.done += 1
      if (seen.done % 2 === 0) throw new Error('it is gone')
    }
    const asked = Array.from({ length: 50 }, () => unread.prepare('ada', work))
    await unread.prepare('ben', () => Promise.resolve())
    await Promise.allSettled(asked)
    expect(seen).toEqual({ running: 0, most: 8, done: 50 })
    const many = Array.from({ length: 1100 }, () => unread.prepare('ada', work))
    const settled = await Promise.allSettled(many)
    const refused = settled.filter(
      (one) => one.status === 'rejected' && String(one.reason).includes('being prepared'),
    )
    expect(refused).toHaveLength(1100 - 1008)
  })
})
