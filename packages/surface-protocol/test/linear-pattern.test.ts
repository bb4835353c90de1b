import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLinearPattern, UnsupportedPatternError } from '../src/data/linear-pattern.ts'
import { costOf } from './cost.ts'

const patterns = [
  'a',
  '^a*$',
  '^(a+)+$',
  '(a|b)*c',
  '^(?:ab|a)(?:c|bcd)$',
  'x{2}',
  '^x{2,3}y{1,}z{0,2}$',
  '^[a-c-]+$',
  '[^a-c\\]]',
  '\\bab\\b',
  'a\\Bb',
  '^\\d{3}-\\d{4}$',
  '\\w+@\\w+\\.\\w{2,}',
  '^\\p{Lu}\\p{Ll}+$',
  '^.$',
  '^\\u{1F600}$',
  '^\\ud83d\\ude00$',
  '\\s\\S',
  '^(?<year>\\d+)$',
  '(?:)',
  '^$',
  'a||b',
  '(^a|b$)+?',
  '(?:a?){3}b',
  '\\x41\\cJ?',
  '[\\d\\-x]+$',
  '(?:|a)+b',
  '\\/\\.',
]

test.each(patterns)('AB-8: the automaton of %s agrees with RegExp', (source) => {
  const pattern = createLinearPattern(source)
  const native = new RegExp(source, 'u')
  const alphabet = [
    'a',
    'b',
    'c',
    'x',
    'y',
    'z',
    'A',
    '1',
    '2',
    '-',
    '@',
    '.',
    ' ',
    '\n',
    '😀',
    'É',
    'é',
    ']',
    '/',
  ]
  const text = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 12 })
  const property = fc.property(text, (value) => pattern.test(value) === native.test(value))
  expect(fc.check(property, { numRuns: 300, seed: 7 }).counterexample).toBeNull()
})

test('AB-8: patterns that an automaton cannot match are refused', () => {
  for (const source of [
    '(?=a)b',
    '(?<!a)b',
    '(a)\\1',
    '(?<x>a)\\k<x>',
    'a{1001}',
    '((a{50}){50}){50}',
  ]) {
    expect(() => createLinearPattern(source)).toThrow(UnsupportedPatternError)
  }
  expect(() => createLinearPattern('(')).toThrow(SyntaxError)
  expect(createLinearPattern('(){1000000000}a').test('a')).toBe(true)
})

test('AB-8: patterns that stop a backtracking engine take linear time', async () => {
  const long = 'a'.repeat(10_000)
  for (const source of ['(a+)+$', '^(a|a)*$', '(a*)*b', '(a|aa)+$', '(.*a){20}$', '(a?){400}b']) {
    const pattern = createLinearPattern(source)
    expect(await costOf(() => pattern.test(`${long}!`))).toBeLessThan(5000)
  }
  const random = Array.from({ length: 10_000 }, (_, n) => 'ab'[((n * n * 7 + n) % 3) % 2]).join('')
  const many = createLinearPattern('(a|b)*a(a|b){100}c')
  expect(await costOf(() => many.test(random))).toBeLessThan(5000)
})
