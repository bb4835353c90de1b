import { describe, expect, test } from 'vitest'
import { readVector } from './read-vector.ts'

const base64 = (numbers: number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString('base64')

describe('readVector', () => {
  test('reads lists of numbers and base64 floats, up to 16,384 numbers', () => {
    expect(readVector([1, '2'])).toEqual([1, 2])
    expect(readVector(base64([1, -0.5]))).toEqual([1, -0.5])
    const longest = Array<number>(16_384).fill(1)
    expect(readVector(longest)).toHaveLength(16_384)
    expect(readVector(base64(longest))).toHaveLength(16_384)
  })

  test('AB-45: refuses longer vectors before decoding them, and values that are not vectors', () => {
    const long = Array<number>(16_385).fill(1)
    for (const embedding of [long, base64(long), '?'.repeat(40_000_000)]) {
      expect(() => readVector(embedding)).toThrow('numbers of a vector')
    }
    for (const embedding of [null, undefined, 1, { length: 1e9 }]) {
      expect(() => readVector(embedding)).toThrow('no vector')
    }
  })
})
