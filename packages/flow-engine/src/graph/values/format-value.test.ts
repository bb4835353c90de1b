import { describe, expect, test } from 'vitest'
import { createData } from './data.ts'
import { createDataFrame } from './data-frame.ts'
import { formatValue } from './format-value.ts'
import { createMessage } from './message.ts'

describe('formatValue (results.md 3, FE-66)', () => {
  test('a message has its fields twice and its timestamps in two forms', () => {
    const message = createMessage({
      text: 'hi',
      sender: 'User',
      id: 'm1',
      timestamp: new Date('2024-05-01T10:00:00Z'),
      data: { extra: 1 },
    })
    expect(formatValue(message)).toMatchObject({
      text_key: 'text',
      default_value: '',
      text: 'hi',
      sender: 'User',
      timestamp: '2024-05-01T10:00:00+00:00',
      data: { id: 'm1', extra: 1, text: 'hi', timestamp: '2024-05-01 10:00:00 UTC' },
    })
    expect(formatValue(message)).not.toHaveProperty('id')
  })

  test('data keeps its text key, a table becomes its rows', () => {
    expect(formatValue(createData({ a: 1 }))).toEqual({
      text_key: 'text',
      data: { a: 1 },
      default_value: '',
    })
    expect(formatValue(createDataFrame([{ a: 1 }]))).toEqual([{ a: 1 }])
  })

  test('CO-3: missing cells of a table are null, at any depth', () => {
    const frame = createDataFrame([{ a: 1 }, { b: 2, a: undefined }, { b: 3, a: 4 }])
    const rows = [
      { a: 1, b: null },
      { a: null, b: 2 },
      { b: 3, a: 4 },
    ]
    expect(formatValue(frame)).toEqual(rows)
    expect(formatValue([createData({ frame })])).toMatchObject([{ data: { frame: rows } }])
    expect(formatValue(createDataFrame([{ extra: 1 }], ['a']))).toEqual([{ a: null, extra: 1 }])
  })

  test('CO-3: also for a column named __proto__, and each getter is called once', () => {
    let calls = 0
    const counting = {
      get a() {
        calls += 1
        return 1
      },
    }
    const odd = JSON.parse('{"__proto__": 2}') as Record<string, unknown>
    expect(JSON.stringify(formatValue(createDataFrame([counting, odd])))).toBe(
      '[{"a":1,"__proto__":null},{"a":null,"__proto__":2}]',
    )
    expect(calls).toBe(1)
  })

  test('CO-3: a table of rows with no common columns is not completed, since it would grow quadratically', () => {
    const different = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ [`column ${index}`]: index }))
    const few = formatValue(createDataFrame(different(100))) as object[]
    expect(few.map((row) => Object.keys(row).length)).toEqual(Array.from(few, () => 100))
    const many = different(20_000)
    expect(formatValue(createDataFrame(many))).toEqual(many)
  })

  test('CO-3: a table with some gaps is completed, however long it is', () => {
    const frame = createDataFrame(
      Array.from({ length: 30_000 }, (_, index) =>
        index % 2 === 0 ? { number: index, 'a column with a long name': 1 } : { number: index },
      ),
    )
    const rows = formatValue(frame) as object[]
    expect(rows.at(-1)).toEqual({ number: 29_999, 'a column with a long name': null })
  })

  test('values that JSON cannot represent become strings or null', () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    const throwing = Object.defineProperty({}, 'x', {
      enumerable: true,
      get() {
        throw new Error('no')
      },
    })
    expect(formatValue(circle)).toEqual({ self: '[Circular]' })
    expect(formatValue([10n, Number.NaN, Infinity, undefined])).toEqual(['10', null, null, null])
    expect(formatValue(new Date('2024-05-01T10:00:00Z'))).toBe('2024-05-01T10:00:00.000Z')
    expect(formatValue(new TextEncoder().encode('bytes'))).toBe('bytes')
    expect(formatValue(throwing)).toEqual({ x: 'no' })
    expect(formatValue((async function* () {})())).toBe('Unconsumed Stream')
    expect(typeof formatValue(Symbol('s'))).toBe('string')
  })

  test('the same object twice is not a cycle, and depth is limited', () => {
    const shared = { a: 1 }
    expect(formatValue([shared, shared])).toEqual([{ a: 1 }, { a: 1 }])
    let deep: unknown = 1
    for (let i = 0; i < 10_000; i += 1) deep = { deep }
    expect(JSON.stringify(formatValue(deep))).toContain('Too deep')
  })

  test('keys like __proto__ are plain keys', () => {
    const value: unknown = JSON.parse('{"__proto__": {"polluted": 1}}')
    expect(JSON.stringify(formatValue(value))).toBe('{"__proto__":{"polluted":1}}')
    expect({}).not.toHaveProperty('polluted')
  })

  test('AB-38: only a limited number of items of long lists and tables is converted', () => {
    let read = 0
    const rows = Array.from({ length: 50 }, () => ({
      get a() {
        read += 1
        return 1
      },
    }))
    const json = [{ a: 1 }, { a: 1 }, ...Array<null>(48).fill(null)]
    for (const value of [rows, new Set(rows), createDataFrame(rows)]) {
      expect(formatValue(value, 2)).toEqual(json)
    }
    expect(formatValue({ inner: [1, 2, 3] }, 2)).toEqual({ inner: [1, 2, null] })
    expect(read).toBeLessThan(12)
  })
})
