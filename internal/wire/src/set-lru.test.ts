import { expect, test } from 'vitest'
import { setLru } from './set-lru.ts'

test('over the limit, the entry that was kept longest ago is removed', () => {
  const map = new Map<string, number>()
  setLru(map, 'a', 1, 2)
  setLru(map, 'b', 2, 2)
  expect(setLru(map, 'a', 3, 2)).toBe(3)
  setLru(map, 'c', 4, 2)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})
