import { describe, expect, test } from 'vitest'
import { createInflateBudget } from './inflate-budget.ts'
import { readTar } from './read-tar.ts'

interface Entry {
  readonly name: string
  readonly type?: string
  readonly content?: string
  /** The size field. Default: the size of the content. */
  readonly size?: string
  readonly prefix?: string
}

function tarOf(entries: readonly Entry[]): Uint8Array {
  const parts = entries.map(({ name, type = '0', content = '', size, prefix = '' }) => {
    const bytes = Buffer.from(content)
    const block = Buffer.alloc(512 + Math.ceil(bytes.length / 512) * 512)
    block.write(name, 0, 100)
    block.write(size ?? `${bytes.length.toString(8).padStart(11, '0')}\0`, 124)
    block.write(type, 156)
    block.write('ustar\x0000', 257)
    block.write(prefix, 345)
    bytes.copy(block, 512)
    return block
  })
  return new Uint8Array(Buffer.concat([...parts, Buffer.alloc(1024)]))
}

async function read(entries: readonly Entry[]): Promise<[name: string, text: string][]> {
  const files = await readTar(tarOf(entries), createInflateBudget(1))
  return files.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)])
}

/** Creates a pax record, which starts with its own length. */
const path = (name: string): string => `${name.length + 9} path=${name}\n`

describe('readTar', () => {
  test('yields files and skips folders, links and devices', async () => {
    expect(
      await read([
        { name: 'a.txt', content: 'A' },
        { name: 'folder/', type: '5' },
        { name: 'link', type: '2' },
        { name: 'hard', type: '1' },
        { name: 'old.txt', type: '\0', content: 'old' },
        { name: 'b.txt', type: '7', content: 'B'.repeat(513) },
      ]),
    ).toEqual([
      ['a.txt', 'A'],
      ['old.txt', 'old'],
      ['b.txt', 'B'.repeat(513)],
    ])
  })

  test('applies each kind of long name to the next entry only', async () => {
    const long = `${'long/'.repeat(60)}a.txt`
    expect(
      await read([
        { name: 'PaxHeader', type: 'x', content: `11 uid=1000\n${path(long)}` },
        { name: 'cut', content: '1' },
        { name: '././@LongLink', type: 'L', content: `${long}\0` },
        { name: 'cut', content: '2' },
        { name: 'c.txt', prefix: 'some/folder', content: '3' },
      ]),
    ).toEqual([
      [long, '1'],
      [long, '2'],
      ['some/folder/c.txt', '3'],
    ])
  })

  test.each<[string, Entry[], string]>([
    ['a size below 0', [{ name: 'a', type: '2', size: '-0000001000' }], 'is not a number'],
    ['a size that is not a number', [{ name: 'a', size: 'x' }], 'is not a number'],
    ['a size beyond the archive', [{ name: 'a', size: '00077777777' }], 'ends inside a file'],
    [
      'a name of 70,000 characters',
      [{ name: 'L', type: 'L', content: 'x'.repeat(70_000) }],
      'too long',
    ],
  ])('AB-35 %s is refused', async (_name, entries, message) => {
    await expect(read(entries)).rejects.toThrow(message)
  })

  test('AB-35 20,000 global headers are read and count towards no limit', async () => {
    const headers = Array.from({ length: 20_000 }, (_, index) => ({
      name: 'g',
      type: 'g',
      content: `20 key${index}=${'x'.repeat(400)}\n`,
    }))
    expect(await read([...headers, { name: 'a.txt', content: 'A' }])).toEqual([['a.txt', 'A']])
  })

  test('AB-35 more than 10,000 entries are refused', async () => {
    const many = Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}` }))
    await expect(read(many)).rejects.toThrow('too many entries (limit 10000)')
  })
})
