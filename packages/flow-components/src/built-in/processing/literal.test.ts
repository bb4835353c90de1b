import { describe, expect, test } from 'vitest'
import { parseLiteral } from './literal.ts'

describe('parseLiteral', () => {
  test.each<[string, unknown]>([
    ['[1, 2.5, -3, 1_000, 0x1f, 1e3]', [1, 2.5, -3, 1000, 31, 1000]],
    ['{\'k\': True, "j": [None, False,],}', { k: true, j: [null, false] }],
    ['(1, 2)', [1, 2]],
    ['(1)', 1],
    ['(1,)', [1]],
    ['()', []],
    ['{1, 2}', [1, 2]],
    ['{}', {}],
    ['{1: 2}', { 1: 2 }],
    ['\'a\' "b"', 'ab'],
    ["'it\\'s \\u017e\\n'", "it's ž\n"],
    ["r'\\n'", '\\n'],
    ['0', 0],
    ['{"__proto__": 1}', JSON.parse('{"__proto__": 1}')],
  ])('%s', (text, value) => {
    expect(parseLiteral(text)).toEqual({ value })
  })

  test.each([
    'true',
    '[bad',
    '01',
    '1.2.3',
    '[1 2]',
    "{'a': 1, 2}",
    "__import__('os')",
    '12345678901234567890',
    '1e999',
    "'open",
    '[1] 2',
    '-[1]',
    '['.repeat(1000),
  ])('%s is not a literal', (text) => {
    expect(parseLiteral(text)).toBeUndefined()
  })
})
