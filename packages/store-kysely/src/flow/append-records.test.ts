import { expect, it } from 'vitest'
import { createTrimSchedule } from './append-records.ts'

it('removes at the first write, then after every twentieth of the limit', () => {
  const isDue = createTrimSchedule()
  const due = [1, 2, 2, 1, 4, 1].map((added) => isDue('flow', added, 100))
  expect(due).toEqual([true, false, false, true, false, true])
})

it('counts each owner alone', () => {
  const isDue = createTrimSchedule()
  isDue('one', 1, 100)
  expect(isDue('other', 1, 100)).toBe(true)
  expect(isDue('one', 4, 100)).toBe(false)
})

it('removes at every write where fewer than twenty are kept', () => {
  const isDue = createTrimSchedule()
  expect([1, 1, 1].map((added) => isDue('flow', added, 19))).toEqual([true, true, true])
})

it('remembers a bounded number of owners', () => {
  const isDue = createTrimSchedule()
  for (let owner = 0; owner < 1000; owner += 1) isDue(`owner ${owner}`, 1, 100)
  expect(isDue('owner 0', 1, 100)).toBe(false)
  isDue('one more', 1, 100)
  expect(isDue('owner 0', 1, 100)).toBe(true)
})
