import { expect, test } from 'vitest'
import { elapsedMs } from './elapsed-ms.ts'

test('OP-20 time passes, and what was kept before the clock was set back is old', () => {
  expect(elapsedMs(1000, 1000)).toBe(0)
  expect(elapsedMs(1000, 1500)).toBe(500)
  expect(elapsedMs(1000, 999)).toBe(Infinity)
})
