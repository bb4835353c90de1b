import { describe, expect, test } from 'vitest'
import { splitChunks, type ChunkOptions } from './split-chunks.ts'

const split = (text: string, options: Partial<ChunkOptions>): string[] =>
  splitChunks(text, { size: 100, overlap: 0, separator: '\n', keep: false, ...options })

describe('splitChunks (CO-51)', () => {
  test('pieces are merged as long as they fit, including the separator', () => {
    expect(split('aa\nbb\ncc', { size: 5 })).toEqual(['aa\nbb', 'cc'])
    expect(split('aa\nbb\ncc', { size: 4 })).toEqual(['aa', 'bb', 'cc'])
  })

  test('the overlap repeats whole pieces at the start of the next chunk', () => {
    expect(split('aa\nbb\ncc\ndd', { size: 5, overlap: 2 })).toEqual(['aa\nbb', 'bb\ncc', 'cc\ndd'])
    expect(split('aa\nbb\ncc', { size: 5, overlap: 1 })).toEqual(['aa\nbb', 'cc'])
  })

  test('a piece longer than a chunk stays whole', () => {
    expect(split('a\nxxxxxxxx\nb', { size: 3 })).toEqual(['a', 'xxxxxxxx', 'b'])
  })

  test('the separator is a literal string and can be kept at either side', () => {
    expect(split('a.b.c', { size: 1, separator: '.' })).toEqual(['a', 'b', 'c'])
    expect(split('a.b.c', { size: 2, separator: '.', keep: 'start' })).toEqual(['a', '.b', '.c'])
    expect(split('a.b.c', { size: 2, separator: '.', keep: 'end' })).toEqual(['a.', 'b.', 'c'])
  })

  test('without a separator the text is split by code points, not UTF-16 units', () => {
    expect(split('😀😀😀', { size: 2, separator: '' })).toEqual(['😀😀', '😀'])
  })

  test('chunks are stripped and blank ones are dropped', () => {
    expect(split('  a  \n\n \n b ', { size: 5 })).toEqual(['a', 'b'])
    expect(split('', {})).toEqual([])
  })

  test('invalid sizes and overlaps are refused', () => {
    expect(() => split('a', { size: 1, overlap: 5 })).toThrow(
      'Got a larger chunk overlap (5) than chunk size (1), should be smaller.',
    )
    expect(() => split('a', { size: 0 })).toThrow('chunk_size must be > 0, got 0')
    expect(() => split('a', { overlap: -1 })).toThrow('chunk_overlap must be >= 0, got -1')
  })
})
