import { expect, test } from 'vitest'
import { keepRecent } from './keep-recent.ts'

test('over the limit, the entry that was kept longest ago is removed', () => {
  const map = new Map<string, number>()
  keepRecent(map, 'a', 1, 2)
  keepRecent(map, 'b', 2, 2)
  expect(keepRecent(map, 'a', 3, 2)).toBe(3)
  keepRecent(map, 'c', 4, 2)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})
