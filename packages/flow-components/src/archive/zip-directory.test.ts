import { strToU8, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { zipDirectory } from './zip-directory.ts'

const ignore = (): void => undefined
const archive = zipSync({ 'a.txt': strToU8('one'), 'b.txt': [strToU8('two'), { level: 0 }] })

test('AB-35 the directory lists entries in archive order, also behind other data', () => {
  const moved = new Uint8Array([...strToU8('#!/bin/sh\n'), ...archive])
  for (const bytes of [archive, moved]) {
    const entries = zipDirectory(bytes, ignore)
    expect(entries.map(({ name }) => name)).toEqual(['a.txt', 'b.txt'])
    expect(entries[1]).toMatchObject({ method: 0, isEncrypted: false, packed: strToU8('two') })
  }
})

test('AB-35 each entry is announced before its bytes are looked at', () => {
  const seen: number[] = []
  const stop = (): void => {
    seen.push(1)
    if (seen.length === 2) throw new RangeError('too many entries')
  }
  expect(() => zipDirectory(archive, stop)).toThrow('too many entries')
})

test('AB-35 a directory that points outside the file, or at no entry, is invalid', () => {
  const at = archive.findLastIndex((_, n) => archive[n] === 0x50 && archive[n + 2] === 1)
  for (const offset of [0xffffff, 1]) {
    const bytes = archive.slice()
    new DataView(bytes.buffer).setUint32(at + 42, offset, true)
    expect(() => zipDirectory(bytes, ignore)).toThrow('invalid zip data')
  }
  for (let length = 0; length < archive.length; length += 1)
    expect(() => zipDirectory(archive.slice(0, length), ignore)).toThrow('invalid zip data')
})
