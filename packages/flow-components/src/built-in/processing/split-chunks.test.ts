import { describe, expect, test } from 'vitest'
import { splitChunks, SplitWork, type ChunkOptions } from './split-chunks.ts'

const split = (
  text: string,
  options: Partial<ChunkOptions>,
  work = new SplitWork(),
): Promise<string[]> =>
  splitChunks(text, { size: 100, overlap: 0, separator: '\n', keep: false, ...options }, work)

describe('splitChunks (CO-51)', () => {
  test('pieces are merged as long as they fit, including the separator', async () => {
    expect(await split('aa\nbb\ncc', { size: 5 })).toEqual(['aa\nbb', 'cc'])
    expect(await split('aa\nbb\ncc', { size: 4 })).toEqual(['aa', 'bb', 'cc'])
  })

  test('the overlap repeats whole pieces at the start of the next chunk', async () => {
    expect(await split('aa\nbb\ncc\ndd', { size: 5, overlap: 2 })).toEqual([
      'aa\nbb',
      'bb\ncc',
      'cc\ndd',
    ])
    expect(await split('aa\nbb\ncc', { size: 5, overlap: 1 })).toEqual(['aa\nbb', 'cc'])
  })

  test('a piece longer than a chunk stays whole', async () => {
    expect(await split('a\nxxxxxxxx\nb', { size: 3 })).toEqual(['a', 'xxxxxxxx', 'b'])
  })

  test('the separator is a literal string and can be kept at either side', async () => {
    expect(await split('a.b.c', { size: 1, separator: '.' })).toEqual(['a', 'b', 'c'])
    expect(await split('a.b.c', { size: 2, separator: '.', keep: 'start' })).toEqual([
      'a',
      '.b',
      '.c',
    ])
    expect(await split('a.b.c', { size: 2, separator: '.', keep: 'end' })).toEqual([
      'a.',
      'b.',
      'c',
    ])
  })

  test('without a separator the text is split by code points, not UTF-16 units', async () => {
    expect(await split('😀😀😀', { size: 2, separator: '' })).toEqual(['😀😀', '😀'])
  })

  test('chunks are stripped and blank ones are dropped', async () => {
    expect(await split('  a  \n\n \n b ', { size: 5 })).toEqual(['a', 'b'])
    expect(await split('', {})).toEqual([])
  })

  test('invalid sizes and overlaps are refused', async () => {
    await expect(split('a', { size: 1, overlap: 5 })).rejects.toThrow(
      'Got a larger chunk overlap (5) than chunk size (1), should be smaller.',
    )
    await expect(split('a', { size: 0 })).rejects.toThrow('chunk_size must be > 0, got 0')
    await expect(split('a', { overlap: -1 })).rejects.toThrow('chunk_overlap must be >= 0, got -1')
  })

  test(
    'AB-29 all texts of a split share its limits; blank chunks count',
    { tags: ['long'] },
    async () => {
      const characters = { separator: '', size: 2000, overlap: 1999 }
      await expect(split(' '.repeat(20_000), characters)).rejects.toThrow(
        'The chunks have more than 20000000 characters in total',
      )
      const work = new SplitWork()
      for (let text = 0; text < 19; text += 1) await split('x'.repeat(2500), characters, work)
      await expect(split('x'.repeat(25_000), characters, work)).rejects.toThrow(
        '20000000 characters',
      )
      await expect(split('x'.repeat(1_000_001), { separator: '', size: 1 })).rejects.toThrow(
        'There are more than 1000000 chunks; use a larger chunk_size.',
      )
    },
  )

  test('AB-29 a separator longer than the text costs nothing for each text', async () => {
    const separator = 'x'.repeat(1_000_000)
    const work = new SplitWork()
    const { user: before } = process.cpuUsage()
    for (let text = 0; text < 20_000; text += 1) await split('a text', { separator }, work)
    // Looking at the separator once for each text takes a minute.
    expect(process.cpuUsage().user - before).toBeLessThan(10_000_000)
  })
})
