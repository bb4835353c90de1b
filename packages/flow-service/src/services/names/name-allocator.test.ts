import { expect, test } from 'vitest'
import { BRACKETS, createNameAllocator, DASH } from './name-allocator.ts'

test('a taken name gets the next number after the highest one of exactly its form', () => {
  const book = createNameAllocator(BRACKETS, [
    'a',
    'a (2)',
    'a (x)',
    'a (7) ',
    'b (9)',
    'a (2) (40)',
  ])
  expect(book.next('a')).toBe('a (3)')
  expect(book.next('b')).toBe('b')
  expect(book.next('a (2)')).toBe('a (2) (41)')
  expect(book.next('a (x)')).toBe('a (x) (1)')
  book.add('a (1)')
  expect(book.firstFree('a')).toBe('a (3)')
  const dashed = createNameAllocator(DASH, ['x', 'x-3', 'x-', 'x-y'])
  expect([dashed.next('x'), dashed.next('x-'), dashed.next('x-y')]).toEqual([
    'x-4',
    'x--1',
    'x-y-1',
  ])
})

test('naming a hundred thousand flows of one name takes linear time either way', () => {
  for (const way of ['next', 'firstFree'] as const) {
    const book = createNameAllocator(BRACKETS)
    for (let k = 0; k < 100_000; k += 1) book.add(book[way]('same'))
    expect(book[way]('same')).toBe('same (100000)')
  }
})
