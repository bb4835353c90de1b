import { describe, expect, test } from 'vitest'
import type { VectorRow } from '@x/flow-engine'
import { finish } from '@x/wire'
import { nearestRows, variedRows } from './nearest.ts'

const rows: VectorRow[] = [
  ['far', [0, 0, 1]],
  ['near', [1, 0, 0]],
  ['twin', [1, 0, 0]],
  ['beside', [0.8, 0.6, 0]],
].map(([id, vector]) => ({ id: String(id), text: '', vector: vector as number[], metadata: {} }))
const ids = (found: readonly { id: string }[]): string[] => found.map(({ id }) => id)

describe('nearestRows (CO-73)', () => {
  test('orders by squared distance, ties in the order they were stored', () => {
    const found = nearestRows(rows, [0.9, 0.1, 0], 3)
    expect(ids(found.map(({ row }) => row))).toEqual(['near', 'twin', 'beside'])
    expect(found[0]?.distance).toBeCloseTo(0.02)
  })

  test('returns all rows if fewer exist, none for a count below one', () => {
    expect(nearestRows(rows, [1, 0, 0], 10)).toHaveLength(4)
    expect(nearestRows(rows, [1, 0, 0], 0)).toEqual([])
    expect(nearestRows(rows, [1, 0, 0], -1)).toEqual([])
  })

  test('a vector of a different length is refused', () => {
    expect(() => nearestRows(rows, [1], 1)).toThrow('vectors of length 3, the query has length 1')
  })
})

const varied = (...args: Parameters<typeof variedRows>) => finish(variedRows(...args))

describe('variedRows (CO-73)', () => {
  test('skips a row that repeats a chosen one', () => {
    const query = [0.9, 0.4, 0.1]
    const options = { count: 3, among: 20, balance: 0.5 }
    expect(ids(varied(rows, query, options))).toEqual(['beside', 'near', 'far'])
    expect(ids(varied(rows, query, { ...options, balance: 1 }))).toEqual(['beside', 'near', 'twin'])
  })

  test('considers only the nearest rows', () => {
    const options = { count: 2, among: 2, balance: 0 }
    expect(ids(varied(rows, [1, 0, 0], options))).toEqual(['near', 'twin'])
  })

  test('AB-29 refuses to choose among so many that the comparisons take minutes', () => {
    const many = Array.from({ length: 2_000 }, (_, at) => ({
      id: `row ${at}`,
      text: '',
      vector: [at, 1],
      metadata: {},
    }))
    const options = { among: 20, balance: 0.5 }
    expect(() => varied(many, [1, 1], { ...options, count: Number.POSITIVE_INFINITY })).toThrow(
      'MMR chooses at most 1000 results',
    )
    expect(varied(many, [1, 1], { ...options, count: 1_000 })).toHaveLength(1_000)
    expect(varied(many.slice(0, 5), [1, 1], { ...options, count: 5_000 })).toHaveLength(5)
  })
})
