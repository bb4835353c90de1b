import { describe, expect, test } from 'vitest'
import { parseAnswer } from './parse-answer.ts'

describe('parseAnswer', () => {
  test('returns the value of a JSON string, and undefined for other strings', () => {
    expect(parseAnswer('{"a":[1]}')).toEqual({ a: [1] })
    expect(parseAnswer('no JSON')).toBeUndefined()
  })

  test('AB-45: accepts vectors with millions of numbers', () => {
    expect(parseAnswer(`[${'1,'.repeat(2_000_000)}1]`)).toHaveLength(2_000_001)
  })

  test.each([
    ['lists', `[${'[],'.repeat(1_000_000)}[]]`, 'answer values'],
    ['objects', `[${'{},'.repeat(1_000_000)}{}]`, 'answer values'],
    ['members', `{${'"a":1,'.repeat(1_000_000)}"b":1}`, 'answer values'],
    ['depth', '['.repeat(1000), 'answer depth'],
  ])('AB-45: refuses too much: %s', (_name, text, limit) => {
    expect(() => parseAnswer(text)).toThrow(limit)
  })
})
