import { describe, expect, test } from 'vitest'
import { firstModelJson, readModelJson } from './read-model-json.ts'

const REPAIRED: readonly [text: string, value: unknown][] = [
  ['{a: 1}', { a: 1 }],
  ['{"a": [1, 2, {"b": 3}', { a: [1, 2, { b: 3 }] }],
  ['{"a": None, "b": True, "c": False}', { a: null, b: true, c: false }],
  ['{"a": "line\nbreak"}', { a: 'line\nbreak' }],
  ['{"a": "a\ttab"}', { a: 'a\ttab' }],
  ['{"a": 1 "b": 2}', { a: 1, b: 2 }],
  ['{"a": 1 // c\n}', { a: 1 }],
  ['{"a": 1 // it\'s }\n}', { a: 1 }],
  ['{"a": 1 /* c */, "b": 2}', { a: 1, b: 2 }],
  ['# c\n{"a": 1}', { a: 1 }],
  ['{"a": 1, # c\n"b": 2}', { a: 1, b: 2 }],
  ['{"a": "he said "hi" to me"}', { a: 'he said "hi" to me' }],
  ['{"a": "he said "hi", then left", "b": 1}', { a: 'he said "hi", then left', b: 1 }],
  ['{"a": 1}{"b": 2}', [{ a: 1 }, { b: 2 }]],
  ['{"a": 1}\n{"b": 2}', [{ a: 1 }, { b: 2 }]],
  ['{"a": 1}\n{"a": 2}', [{ a: 1 }, { a: 2 }]],
  ['{"a": 1,}', { a: 1 }],
  ['[1, 2,]', [1, 2]],
  ['{,"a": 1}', { a: 1 }],
  ['[1,,2]', [1, 2]],
  ["{'a': 'b'}", { a: 'b' }],
  ["{'a': 'it\\'s'}", { a: "it's" }],
  ["{'a': 'it's', 'b': 'x'}", { a: "it's", b: 'x' }],
  ["{'a': \"don't\"}", { a: "don't" }],
  ['{“a”: “b”}', { a: 'b' }],
  ['```json\n{"a": 1}\n```', { a: 1 }],
  ['```\n{"a": 1}\n```', { a: 1 }],
  ['Sure [as asked]:\n```json\n{"a": [1, 2\n```\nDone {ok}.', { a: [1, 2] }],
  ['Here is the JSON:\n{"a": 1}\nHope it helps', { a: 1 }],
  ["Here's it: {'a': 'b'} and that's all", { a: 'b' }],
  ['[1, 2, 3', [1, 2, 3]],
  ['{"a": "b', { a: 'b' }],
  ['{"a": {"b": {"c": 1}', { a: { b: { c: 1 } } }],
  ['{"items": ["one", "two", "three', { items: ['one', 'two', 'three'] }],
  ['{"items": [{"a": 1}, {"a": 2', { items: [{ a: 1 }, { a: 2 }] }],
  ['{a: hello world, c: 2}', { a: 'hello world', c: 2 }],
  ['[a, b, c]', ['a', 'b', 'c']],
  ['[1 2 3]', [1, 2, 3]],
  ['{"a": ["x" "y"]}', { a: ['x', 'y'] }],
  ['{"a": .5}', { a: 0.5 }],
  ['{"a": 1e3}', { a: 1000 }],
  ['{"a": +3}', { a: 3 }],
  ['{"a": "b"}</s>', { a: 'b' }],
  ['{"a": 1} trailing words', { a: 1 }],
  ['{"a": 2024-01-02}', { a: '2024-01-02' }],
  ['{"id": 123abc}', { id: '123abc' }],
  ['{"score": 8/10}', { score: '8/10' }],
  ['{"score": 8/10, "b": 1}', { score: '8/10', b: 1 }],
  ['{"a": 1; "b": 2}', { a: 1, b: 2 }],
  ['{"a": "x"; "b": 2;}', { a: 'x', b: 2 }],
  ['{"a": 1, "a": 2,}', { a: 2 }],
  ['{"a": NaN, "b": Infinity, "c": [-Infinity, NaN]}', { a: null, b: null, c: [null, null] }],
  ['\uFEFF{"a": 1,}', { a: 1 }],
  ['{"a": "}", b: "{"}', { a: '}', b: '{' }],
  ['[{"a": 1}}', [{ a: 1 }]],
  ['{"a": [1, 2}', { a: [1, 2] }],
  ['{"url": http://x.example/a, "b": 1}', { url: 'http://x.example/a', b: 1 }],
  ['{"a": "", "b": \'\'}', { a: '', b: '' }],
  ['{"a": "b, "c": 1}', { a: 'b', c: 1 }],
  ['{\\"a\\": \\"b\\"}', { a: 'b' }],
  ['{"a": "what is "x"?", "n": 2}', { a: 'what is "x"?', n: 2 }],
  ['{"a": "say \\"hi\\"", b: 1}', { a: 'say "hi"', b: 1 }],
]

describe('readModelJson', () => {
  test.each(REPAIRED)('FF-52: %j', (text, value) => {
    expect(readModelJson(text)).toEqual(value)
  })

  test('FF-52: a missing value is an empty one', () => {
    expect([{ a: '' }, { a: [] }, {}, { a: '...' }]).toContainEqual(readModelJson('{"a": ...}'))
    for (const text of ['{"a": , "b": 2}', '{"a":}']) {
      const { a } = Object(readModelJson(text)) as { readonly a: unknown }
      expect(['', null]).toContain(a)
    }
  })

  test('FF-52: __proto__ is a key like others', () => {
    const value = readModelJson('{"__proto__": 1,}')
    expect(Object.keys(Object(value) as object)).toEqual(['__proto__'])
  })

  test.each(['hello', '', '  ', 'True', 'call me "x"'])('FF-52: %j is an error', (text) => {
    expect(() => readModelJson(text)).toThrow('Invalid JSON string: cannot be repaired')
  })

  test('FF-51: too deep and too large', () => {
    expect(() => readModelJson('['.repeat(201))).toThrow('Invalid JSON string: too deep')
    expect(() => readModelJson(`${'['.repeat(201)}${']'.repeat(201)}`)).toThrow('too deep')
    expect(readModelJson('['.repeat(200))).toBeDefined()
    expect(() => readModelJson(`{a: "${'x'.repeat(1_000_001)}"}`)).toThrow('too large')
  })

  test('FF-51: the first well-formed document of an answer comes first', () => {
    expect(firstModelJson('As [the docs] say: {"a": [1]} and {"b": 2}')).toEqual({ a: [1] })
    expect(firstModelJson('{a: [1, 2],}')).toEqual({ a: [1, 2] })
    expect(firstModelJson('none')).toBeUndefined()
  })
})
