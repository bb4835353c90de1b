import { describe, expect, test } from 'vitest'
import { constantTimeEqual, parseBearer } from './index.ts'

describe('parseBearer', () => {
  test.each([
    ['Bearer abc', 'abc'],
    ['bearer   abc', 'abc'],
    ['Bearer abc def', null],
    ['Bearer', null],
    ['Bearer ', null],
    ['Token abc', null],
    [' Bearer abc', null],
    [null, null],
  ])('parses %j as %j', (header, token) => {
    expect(parseBearer(header)).toBe(token)
  })
})

describe('constantTimeEqual', () => {
  test('compares every byte', () => {
    expect(constantTimeEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 2))).toBe(true)
    expect(constantTimeEqual(Uint8Array.of(1, 2), Uint8Array.of(1, 3))).toBe(false)
    expect(constantTimeEqual(Uint8Array.of(1), Uint8Array.of(1, 2))).toBe(false)
  })
})
