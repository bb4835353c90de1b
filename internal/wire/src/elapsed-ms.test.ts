import { expect, test } from 'vitest'
import { elapsedMs } from './elapsed-ms.ts'

test('OP-20 elapsed time is infinite when the clock was set back', () => {
  expect(elapsedMs(1000, 1000)).toBe(0)
  expect(elapsedMs(1000, 1500)).toBe(500)
  expect(elapsedMs(1000, 999)).toBe(Infinity)
})
