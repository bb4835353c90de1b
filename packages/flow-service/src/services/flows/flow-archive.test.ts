import { unzipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { turnsDuring } from '@x/test-kit'
import { createInflateBudget } from '@x/flow-components/internal'
import { readZipEntries } from '@x/flow-components/internal'
import { zipStream } from './flow-archive.ts'

const now = new Date('2026-01-02T03:04:06Z')
const text = (content: string): Uint8Array => new TextEncoder().encode(content)
const bytesOf = async (...parameters: Parameters<typeof zipStream>): Promise<Uint8Array> =>
  new Uint8Array(await new Response(zipStream(...parameters)).arrayBuffer())

describe('zipStream', () => {
  test('keeps contents of every size and makes equal names distinct', async () => {
    const large = crypto.getRandomValues(new Uint8Array(60_000))
    const long = new Uint8Array(1_200_000).map((_, index) => large[index % 60_000] ?? 0)
    const zip = await bytesOf(
      [
        { name: 'a/b.json', body: text('1') },
        { name: 'a\\b.json', body: text('2') },
        { name: 'a_b (2).json', body: text('3') },
        { name: '__proto__', body: text('') },
        { name: 'long.bin', body: long },
      ],
      now,
    )
    const files = unzipSync(zip)
    expect(Object.entries(files).map(([name, { length }]) => [name, length])).toEqual([
      ['a_b.json', 1],
      ['a_b (2).json', 1],
      ['a_b (2) (2).json', 1],
      ['_proto_', 0],
      ['long.bin', 1_200_000],
    ])
    const budget = createInflateBudget(zip.length)
    const read = await readZipEntries(zip, { budget, wanted: (name) => name.startsWith('a_b') })
    expect(read.map(({ bytes }) => new TextDecoder().decode(bytes))).toEqual(['1', '2', '3'])
    expect(Buffer.compare(files['long.bin'] ?? long.subarray(1), long)).toBe(0)
  })

  test('names that differ in case or normal form only are made distinct', async () => {
    const names = ['Case.json', 'case.json', 'CASE.json', '\u00e9.json', 'e\u0301.json']
    const zip = await bytesOf(
      names.map((name) => ({ name, body: text('{}') })),
      now,
    )
    expect(Object.keys(unzipSync(zip))).toEqual([
      'Case.json',
      'case (2).json',
      'CASE (3).json',
      '\u00e9.json',
      'e\u0301 (2).json',
    ])
  })

  test('AB-37 thousands of equal names take linear time and let other work run', async () => {
    const many = Array.from({ length: 3000 }, () => ({ name: '/.json', body: text('{}') }))
    const { turns, result } = await turnsDuring(() => bytesOf(many, now))
    expect(Object.keys(unzipSync(result))).toHaveLength(3000)
    expect(turns).toBeGreaterThan(20)
  })

  test('writes an empty archive', async () => {
    expect(unzipSync(await bytesOf([], now))).toEqual({})
  })
})
