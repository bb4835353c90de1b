import { expect, test } from 'vitest'
import { sortInTurns } from './sort-in-turns.ts'

test.each([0, 1, 9_999, 25_001, 70_000])('sorts %i items as toSorted does', async (count) => {
  const list = Array.from({ length: count }, (_, at) => ({ key: (at * 7919) % 1013, at }))
  const compare = (one: { key: number }, other: { key: number }): number => one.key - other.key
  expect(await sortInTurns(list, compare)).toEqual(list.toSorted(compare))
})
