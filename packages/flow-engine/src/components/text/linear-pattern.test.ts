import { describe, expect, test } from 'vitest'
import { linearPattern } from './linear-pattern.ts'

describe('linearPattern: at the start (CO-54)', () => {
  test.each([
    ['abc\\d+', 'abc123xyz', true],
    ['\\d+', 'abc123', false],
    ['(?i)ABC', 'abcdef', true],
    ['(?u)(?P<word>a)b', 'abc', true],
    ['a\\Z', 'ab', false],
    ['ab\\Z', 'ab', true],
    ['\\Aa', 'a', true],
    ['\\\\A', '\\A', true],
    ['', 'anything', true],
  ])('tests %s against %s', async (pattern, text, fits) => {
    expect((await linearPattern(pattern))?.matchesAtStart(text)).toBe(fits)
  })
})

describe('linearPattern', () => {
  test('finds the pattern anywhere', async () => {
    expect((await linearPattern('b+'))?.find('abc')).toBe(true)
  })

  test.each(['[a', '(', 'a**', '(?P<1>a)'])('%s is not a valid pattern', async (source) => {
    expect(await linearPattern(source)).toBeNull()
  })

  test.each(['(?P<word>a)(?P=word)', '(a)\\1', '(?=a)b', '(?!a)b', '(?<=a)b', '(?<!a)b'])(
    'AB-30: %s needs a backtracking engine and is refused',
    async (source) => {
      await expect(linearPattern(source)).rejects.toThrow(`Not a supported pattern: ${source}`)
    },
  )

  test.each([
    ['(a+)+$', 'a'],
    ['(a|a)*$', 'a'],
    ['(x+x+)+y', 'x'],
    ['(.*)(.*)(.*)(.*)(.*)z', 'x'],
    ['(\\w+\\s?)*$', 'x '],
  ])('AB-30: %s takes time in proportion to the text', async (source, unit) => {
    const pattern = await linearPattern(source)
    const text = `${unit.repeat(999_000 / unit.length)}!`
    expect(() => pattern?.find(text)).not.toThrow()
  })

  test('AB-30: a large pattern on a large text, and a text over the limit, are refused at once', async () => {
    const large = await linearPattern('(a?){500}a{500}')
    expect(() => large?.find('a'.repeat(100_000))).toThrow(
      'Not a supported pattern: it is too large',
    )
    expect(large?.find('a'.repeat(500))).toBe(true)
    const plain = await linearPattern('a')
    expect(() => plain?.find('a'.repeat(1_000_001))).toThrow('too long for a pattern')
  })
})
