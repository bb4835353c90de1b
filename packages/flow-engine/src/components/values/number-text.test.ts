import { describe, expect, test } from 'vitest'
import { parseNumberText } from './number-text.ts'

describe('parseNumberText', () => {
  test.each([
    [' 7 ', 7],
    ['-1.5e2', -150],
    ['1_000', 1000],
    ['.5', 0.5],
    ['5.', 5],
    ['-inf', -Infinity],
    ['Infinity', Infinity],
    ['', null],
    ['0x10', null],
    ['1__0', null],
    ['seven', null],
    ['.', null],
  ])('%s', (text, number) => {
    expect(parseNumberText(text)).toBe(number)
  })
})
