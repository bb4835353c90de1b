import { expect, test } from 'vitest'
import { append } from './append.ts'

test('appends the items in order, however many', () => {
  const list = [-1]
  append(list, new Set([0, 1]))
  append(
    list,
    Array.from({ length: 200_000 }, (_, n) => n + 2),
  )
  expect(list).toHaveLength(200_003)
  expect([list[0], list[1], list.at(-1)]).toEqual([-1, 0, 200_001])
})
