import { expect, test } from 'vitest'
import { instantText } from './instant-text.ts'

test('instantText writes times as toISOString does', () => {
  const times = [0, 1, -1, 86_399_999, 86_400_000, -86_400_001, 951_782_399_999, 8.64e15, -8.64e15]
  let state = 7
  for (let n = 0; n < 2_000; n += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    times.push(Math.floor((state / 2 ** 32) * 8e12) - 4e12)
  }
  for (const ms of times) {
    const time = new Date(ms)
    expect(instantText(time)).toBe(time.toISOString())
  }
  expect(() => instantText(new Date(Number.NaN))).toThrow(RangeError)
})
