import { describe, expect, test } from 'vitest'
import {
  combine,
  evaluateLiterals,
  filterLists,
  jsonPaths,
  removeKeys,
  renameKeys,
  selectKeys,
} from './data-changes.ts'

describe('keys (CO-61)', () => {
  test('selecting keeps the order of the data and names what there is', () => {
    expect(Object.keys(selectKeys({ a: 1, b: 2, c: 3 }, ['c', 'a']))).toEqual(['a', 'c'])
    expect(selectKeys({ data: { x: 1 } }, ['data'])).toEqual({ x: 1 })
    expect(() => selectKeys({ a: 1, b: 2 }, ['z'])).toThrow(
      "Select key not found in data. Available keys: ['a', 'b']",
    )
    expect(() => selectKeys({}, ['toString'])).toThrow('Available keys: []')
  })

  test('removing and renaming reach every depth', () => {
    const data = { a: 1, b: { a: 2, c: [{ a: 3, d: [[{ a: 4 }]] }] } }
    expect(removeKeys(data, ['a'])).toEqual({ b: { c: [{ d: [[{}]] }] } })
    expect(renameKeys(data, { a: 'x' })).toEqual({
      x: 1,
      b: { x: 2, c: [{ x: 3, d: [[{ x: 4 }]] }] },
    })
    expect(renameKeys({ a: 1, b: 2 }, { a: 'b' })).toEqual({ b: 2 })
  })

  test('combining makes lists of values of one key', () => {
    expect(combine([{ a: 1, b: 'x' }, { a: [2, 3] }, { a: 4, c: null }])).toEqual({
      a: [1, 2, 3, 4],
      b: 'x',
      c: null,
    })
  })
})

describe('filterLists (CO-61)', () => {
  const data = { rows: [{ n: 1, k: 'a' }, { n: 10, k: 'b' }, 'text', { k: 'c' }] }
  const filtered = (wanted: object, operator: string): unknown =>
    filterLists(data, { lists: ['rows'], wanted: { ...wanted }, operator }).rows

  test('compares as texts and leaves out what has no such key', () => {
    expect(filtered({ n: '1' }, 'starts with')).toEqual([
      { n: 1, k: 'a' },
      { n: 10, k: 'b' },
    ])
    expect(filtered({ n: '1' }, 'not equals')).toEqual([{ n: 10, k: 'b' }])
    expect(filtered({ n: '1', k: 'a' }, 'equals')).toEqual([{ n: 1, k: 'a' }])
    expect(filtered({ n: '1' }, 'like')).toEqual([])
  })

  test('a missing list and what is none are named', () => {
    const options = { wanted: { k: 'a' }, operator: 'equals' }
    expect(() => filterLists({ a: 1 }, { lists: ['z'], ...options })).toThrow(
      "Filter key 'z' not found in data. Available keys: ['a']",
    )
    expect(() => filterLists({ a: 1 }, { lists: ['a'], ...options })).toThrow(
      "Filter key 'a' is not a list.",
    )
  })
})

describe('evaluateLiterals (CO-61)', () => {
  test('reads texts that look like literals and keeps the others', () => {
    expect(
      evaluateLiterals({
        a: '[1, 2]',
        b: ['True', 'true', '(1, 2)'],
        c: '-5',
        d: 'x',
        e: 7,
        f: '1.5',
      }),
    ).toEqual({ a: [1, 2], b: [true, 'true', [1, 2]], c: '-5', d: 'x', e: 7, f: 1.5 })
  })
})

describe('jsonPaths (CO-61)', () => {
  test('lists every path once, of lists the first element', () => {
    expect(jsonPaths({ a: { b: [1, { c: 2 }] }, 'my key': [{ e: 1 }], d: [] })).toEqual([
      '.a',
      '.a.b',
      '.a.b[0]',
      '."my key"',
      '."my key"[0]',
      '."my key"[0].e',
      '.d',
    ])
    expect(jsonPaths([{ a: 1 }])).toEqual(['.[0]', '.[0].a'])
    expect(jsonPaths('text')).toEqual([])
  })
})
