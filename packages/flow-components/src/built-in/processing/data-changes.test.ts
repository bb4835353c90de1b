import { describe, expect, test } from 'vitest'
import {
  asData,
  combine,
  evaluateLiterals,
  filterLists,
  jsonPaths,
  removeKeys,
  renameKeys,
  selectKeys,
} from './data-changes.ts'

describe('keys (CO-61)', () => {
  test('selecting keeps the order of the data and skips missing keys', () => {
    expect(Object.keys(selectKeys({ a: 1, b: 2, c: 3 }, ['c', 'a']))).toEqual(['a', 'c'])
    expect(() => selectKeys({ a: 1, b: 2 }, ['z'])).toThrow(
      "Select key not found in data. Available keys: ['a', 'b']",
    )
    expect(() => selectKeys({}, ['toString'])).toThrow('Available keys: []')
  })

  test('removing and renaming apply at every depth', () => {
    const data = { a: 1, b: { a: 2, c: [{ a: 3, d: [[{ a: 4 }]] }] } }
    expect(removeKeys(data, ['a'])).toEqual({ b: { c: [{ d: [[{}]] }] } })
    expect(renameKeys(data, { a: 'x' })).toEqual({
      x: 1,
      b: { x: 2, c: [{ x: 3, d: [[{ x: 4 }]] }] },
    })
    expect(renameKeys({ a: 1, b: 2 }, { a: 'b' })).toEqual({ b: 2 })
  })

  test('combining collects the values of equal keys into lists', () => {
    expect(combine([{ a: 1, b: 'x' }, { a: [2, 3] }, { a: 4, c: null }])).toEqual({
      a: [1, 2, 3, 4],
      b: 'x',
      c: null,
    })
  })
})

describe('asData (CO-2, CO-61)', () => {
  test('an object under data becomes the data, other keys are merged into it', () => {
    expect(asData({ data: { x: 1 }, y: 2 }).data).toEqual({ x: 1, y: 2 })
    expect(asData({ data: null, y: 2 }).data).toEqual({ y: 2 })
    expect(() => asData({ data: [1] })).toThrow("The key 'data' must contain an object.")
  })

  test('text_key and default_value are taken from the object', () => {
    const made = asData({ x: 1, text_key: 'x', default_value: 'none' })
    expect(made).toMatchObject({ data: { x: 1 }, textKey: 'x', defaultValue: 'none' })
  })
})

describe('filterLists (CO-61)', () => {
  const data = { rows: [{ n: 1, k: 'a' }, { n: 10, k: 'b' }, 'text', { k: 'c' }] }
  const filtered = (wanted: object, operator: string): unknown =>
    filterLists(data, { lists: ['rows'], wanted: { ...wanted }, operator }).rows

  test('compares as strings and leaves out items without the key', () => {
    expect(filtered({ n: '1' }, 'starts with')).toEqual([
      { n: 1, k: 'a' },
      { n: 10, k: 'b' },
    ])
    expect(filtered({ n: '1' }, 'not equals')).toEqual([{ n: 10, k: 'b' }])
    expect(filtered({ n: '1', k: 'a' }, 'equals')).toEqual([{ n: 1, k: 'a' }])
    expect(filtered({ n: '1' }, 'like')).toEqual([])
    expect(filtered({ n: '1', z: '' }, 'equals')).toEqual(filtered({ n: '1' }, 'equals'))
    expect(filtered({ n: 0, z: null }, 'equals')).toEqual(data.rows)
  })

  test('a missing list and a value that is not a list are named in the error', () => {
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
  test('parses strings that look like literals and keeps the others', () => {
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
  test('lists every path once, and only the first element of lists', () => {
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

test(
  'AB-29 combining many objects and filtering by many names takes linear time',
  { tags: ['long'] },
  () => {
    const parts = Array.from({ length: 200_000 }, (_, at) => ({ a: at }))
    const { user: before } = process.cpuUsage()
    expect(combine(parts)['a']).toHaveLength(200_000)
    const names = Array.from({ length: 200_000 }, () => 'rows')
    const filtered = { lists: names, wanted: { a: '7' }, operator: 'equals' }
    expect(filterLists({ rows: parts.slice(0, 1000) }, filtered)).toEqual({ rows: [{ a: 7 }] })
    const keys = Array.from({ length: 100_000 }, (_, at) => `k${at}`)
    const data = Object.fromEntries(keys.map((key) => [key, 1]))
    expect(Object.keys(selectKeys(data, keys))).toHaveLength(100_000)
    const long = "['long text']".repeat(10_000)
    expect(renameKeys({ rows: parts }, { a: long })['rows']).toHaveLength(200_000)
    // Each of them takes a minute when it looks at all for each.
    expect(process.cpuUsage().user - before).toBeLessThan(10_000_000)
  },
)
