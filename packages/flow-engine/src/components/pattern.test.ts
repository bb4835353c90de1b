import { describe, expect, test } from 'vitest'
import { compilePattern, matchesAtStart } from './pattern.ts'

describe('matchesAtStart (CO-54)', () => {
  test.each([
    ['abc\\d+', 'abc123xyz', true],
    ['\\d+', 'abc123', false],
    ['(?i)ABC', 'abcdef', true],
    ['(?P<word>a)(?P=word)', 'aab', true],
    ['a\\Z', 'ab', false],
    ['\\Aa', 'a', true],
    ['\\\\A', '\\A', true],
    ['(', '(', false],
  ])('%s against %s', (pattern, text, fits) => {
    expect(matchesAtStart(pattern, text)).toBe(fits)
  })
})

describe('compilePattern', () => {
  test('finds the pattern anywhere without the sticky flag', () => {
    expect(compilePattern('b+')?.test('abc')).toBe(true)
  })

  test('is null for what is no pattern', () => {
    expect(compilePattern('[a')).toBeNull()
  })
})
