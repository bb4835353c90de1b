import { expect, test } from 'vitest'
import { sortCooperatively } from './sort-cooperatively.ts'

test.each([0, 1, 9_999, 25_001, 70_000])('sorts %i items as toSorted does', async (count) => {
  const list = Array.from({ length: count }, (_, at) => ({ key: (at * 7919) % 1013, at }))
  const compare = (one: { key: number }, other: { key: number }): number => one.key - other.key
  expect(await sortCooperatively(list, compare)).toEqual(list.toSorted(compare))
})
