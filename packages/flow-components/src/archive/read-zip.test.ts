import { zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { joinBytes } from '@x/wire'
import { createInflateBudget } from './inflate-budget.ts'
import { readZipEntries } from './read-zip.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

const read = (bytes: Uint8Array) =>
  readZipEntries(bytes, { budget: createInflateBudget(bytes.length), wanted: () => true })

/** An archive whose directory lists its only entry `times` times, as if each of them were another file. */
function overlapping(times: number): Uint8Array {
  const whole = zipSync({ 'a.xml': text('x'.repeat(100)) })
  const view = new DataView(whole.buffer)
  const end = whole.length - 22
  const from = view.getUint32(end + 16, true)
  const listing = whole.slice(from, end)
  const copies = Array.from({ length: times }, () => [...listing]).flat()
  const record = whole.slice(end)
  const last = new DataView(record.buffer)
  last.setUint16(8, times, true)
  last.setUint16(10, times, true)
  last.setUint32(12, copies.length, true)
  return Uint8Array.from([...whole.slice(0, from), ...copies, ...record])
}

function withComment(archive: Uint8Array, comment: string): Uint8Array {
  const whole = joinBytes([archive, text(comment)])
  new DataView(whole.buffer).setUint16(archive.length - 2, comment.length, true)
  return whole
}

/** Written to a pipe, with sizes behind the contents: a stored zip file, which looks like more entries. */
const STREAMED = [
  [
    'zipfile of Python',
    'UEsDBBQACAAAAAAAIQAAAAAAAAAAAAAAAAAFAAAAYS50eHRhUEsHCEO+t+gBAAAAAQAAAFBLAwQUAAgAAAAAACEAAAAAAAAAAAAAAAAACQAAAGlubmVyLnppcFBLAwQUAAAAAAAAACEAJDfS2woAAAAKAAAABgAAAGluLnR4dGlubmVyIHRleHRQSwECFAMUAAAAAAAAACEAJDfS2woAAAAKAAAABgAAAAAAAAAAAAAAgAEAAAAAaW4udHh0UEsFBgAAAAABAAEANAAAAC4AAAAAAFBLBwibqob4eAAAAHgAAABQSwECFAMUAAgAAAAAACEAQ7636AEAAAABAAAABQAAAAAAAAAAAAAAgAEAAAAAYS50eHRQSwECFAMUAAgAAAAAACEAm6qG+HgAAAB4AAAACQAAAAAAAAAAAAAAgAE0AAAAaW5uZXIuemlwUEsFBgAAAAACAAIAagAAAOMAAAAAAA==',
  ],
  [
    'zipfile of Python in zip64',
    'UEsDBC0ACAAAAAAAIQAAAAAA//////////8FABQAYS50eHQBABAAAAAAAAAAAAAAAAAAAAAAAGFQSwcIQ7636AEAAAAAAAAAAQAAAAAAAABQSwMELQAIAAAAAAAhAAAAAAD//////////wkAFABpbm5lci56aXABABAAAAAAAAAAAAAAAAAAAAAAAFBLAwQUAAAAAAAAACEAJDfS2woAAAAKAAAABgAAAGluLnR4dGlubmVyIHRleHRQSwECFAMUAAAAAAAAACEAJDfS2woAAAAKAAAABgAAAAAAAAAAAAAAgAEAAAAAaW4udHh0UEsFBgAAAAABAAEANAAAAC4AAAAAAFBLBwibqob4eAAAAAAAAAB4AAAAAAAAAFBLAQItAy0ACAAAAAAAIQBDvrfoAQAAAAEAAAAFAAAAAAAAAAAAAACAAQAAAABhLnR4dFBLAQItAy0ACAAAAAAAIQCbqob4eAAAAHgAAAAJAAAAAAAAAAAAAACAAVAAAABpbm5lci56aXBQSwUGAAAAAAIAAgBqAAAAGwEAAAAA',
  ],
] as const

describe('AB-35 a zip', () => {
  const archive = zipSync({ 'a.json': text('{"a":1}'), 'b.json': text('{"b":2}') })

  test('is read in its order', async () => {
    expect((await read(archive)).map(({ name }) => name)).toEqual(['a.json', 'b.json'])
    expect(await read(zipSync({}))).toEqual([])
  })

  test('that ends too early is refused, wherever it ends', async () => {
    for (let length = 0; length < archive.length; length += 1) {
      await expect(read(archive.subarray(0, length))).rejects.toThrow()
    }
  })

  test.each([
    ['a name', 26],
    ['an extra field', 28],
  ])('whose local header has %s that hides the other entries is refused', async (_what, at) => {
    const lying = archive.slice()
    new DataView(lying.buffer).setUint16(at, 65_535, true)
    await expect(read(lying)).rejects.toThrow('invalid zip data')
  })

  test('whose entries share their bytes is refused before they are unpacked', async () => {
    await expect(read(overlapping(1))).resolves.toHaveLength(1)
    await expect(read(overlapping(2000))).rejects.toThrow('invalid zip data')
  })

  test('may stand behind other data, as a program that unpacks itself does', async () => {
    const moved = joinBytes([text('#!/usr/bin/env python3\n'), archive])
    expect(await read(moved)).toEqual(await read(archive))
  })

  test('may have a comment that looks like an end record', async () => {
    for (const filling of ['', '\0'.repeat(18), 'more than the length of an end record'])
      expect(await read(withComment(archive, `see PK\u0005\u0006${filling}`))).toHaveLength(2)
  })

  test.each(STREAMED)('written by %s is read', async (_program, base64) => {
    const entries = await read(Uint8Array.from(Buffer.from(base64, 'base64')))
    expect(entries.map(({ name }) => name)).toEqual(['a.txt', 'inner.zip'])
    const [inner] = entries.slice(1)
    expect(await read(inner?.bytes ?? new Uint8Array())).toEqual([
      { name: 'in.txt', bytes: text('inner text') },
    ])
  })

  test('tells names in UTF-8 from others', async () => {
    const marked = zipSync({ 'ä.txt': text('') })
    for (const place of [6, marked.length - 22 - 46 - 6 + 8])
      new DataView(marked.buffer).setUint16(place, 0, true)
    expect((await read(marked)).map(({ name }) => name)).toEqual(['ä.txt'])
  })
})
