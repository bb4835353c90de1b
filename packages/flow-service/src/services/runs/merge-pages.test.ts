import { expect, test } from 'vitest'
import { mergePages } from './merge-pages.ts'

const listOf =
  (items: readonly number[], asked: number[] = []) =>
  async ({ offset, limit }: { offset: number; limit: number }) => {
    asked.push(limit)
    return { items: items.slice(offset, offset + limit), total: items.length }
  }

const numbers = (count: number, step: number, from: number) =>
  Array.from({ length: count }, (_, n) => from - n * step)

test.each([
  ['interleaved', numbers(7, 2, 100), numbers(40, 1, 101)],
  ['the short one first', numbers(7, 1, 1000), numbers(40, 1, 100)],
  ['the short one last', numbers(7, 1, 10), numbers(40, 1, 100)],
  ['one empty', [], numbers(40, 1, 100)],
  ['the other empty', numbers(7, 1, 100), []],
])('OP-5: pages of two lists, %s, equal those of one merged list', async (_, short, long) => {
  const all = [...short, ...long].toSorted((a, b) => b - a)
  for (const limit of [1, 3, 10]) {
    for (let offset = 0; offset <= all.length + limit; offset += limit) {
      const range = { offset, limit }
      const isBefore = (one: number, other: number): boolean => one > other
      const page = await mergePages({ range, few: listOf(short), many: listOf(long), isBefore })
      expect(page).toEqual({ items: all.slice(offset, offset + limit), total: all.length })
    }
  }
})

test('OP-5: a late page reads the short list and an equally small part of the long one', async () => {
  const asked: number[] = []
  const page = await mergePages({
    range: { offset: 900, limit: 10 },
    few: listOf(numbers(5, 1, 2000)),
    many: listOf(numbers(1000, 1, 1000), asked),
    isBefore: (one, other) => one > other,
  })
  expect(page.items[0]).toBe(105)
  expect(asked).toEqual([15])
})

test('OP-5: a late page of a very long short list', async () => {
  const page = await mergePages({
    range: { offset: 150_000, limit: 10 },
    few: listOf(numbers(150_001, 1, 150_001)),
    many: listOf([]),
    isBefore: (one, other) => one > other,
  })
  expect(page).toEqual({ items: [1], total: 150_001 })
})
