import { zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { createInflateBudget } from './inflate-budget.ts'
import { checkZip, readZipEntries } from './read-zip.ts'

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

  test('whose entries share their bytes is refused before a library unpacks them', async () => {
    const check = (bytes: Uint8Array) =>
      checkZip(
        bytes,
        () => createInflateBudget(bytes.length),
        () => undefined,
      )
    await expect(check(archive)).resolves.toBeUndefined()
    await expect(check(overlapping(2000))).rejects.toThrow('invalid zip data')
  })
})
