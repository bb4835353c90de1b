import { unzipSync, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { joinBytes } from '@x/wire'
import { createInflateBudget } from './inflate-budget.ts'
import { repackZip } from './repack-zip.ts'

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

test('AB-35 a library unpacks the checked bytes only', async () => {
  const checked = zipSync({ 'a.xml': text('<checked/>'), 'ä.xml': [text('<ä/>'), { level: 0 }] })
  const hidden = zipSync({ 'a.xml': text('<hidden/>') })
  const seen: string[] = []
  // Each reader that searches the end record, or follows its offsets, finds another archive.
  for (const archive of [
    joinBytes([hidden, checked]),
    zipSync({ 'picture.png': [hidden, { level: 0 }], 'a.xml': text('<checked/>') }),
  ]) {
    const packed = await repackZip(archive, {
      budget: createInflateBudget(archive.length),
      wanted: (name) => name.endsWith('.xml'),
      onData: (name, piece) => seen.push(name, new TextDecoder().decode(piece)),
    })
    expect(unzipSync(packed)['a.xml']).toEqual(text('<checked/>'))
    expect(Object.keys(unzipSync(packed))).not.toContain('picture.png')
  }
  expect(seen).toEqual(['a.xml', '<checked/>', 'ä.xml', '<ä/>', 'a.xml', '<checked/>'])
})

test('AB-35 the sizes that an archive states are not those that a library reserves', async () => {
  const archive = zipSync({ 'a.xml': text('short') })
  const at = new DataView(archive.buffer).getUint32(archive.length - 6, true)
  new DataView(archive.buffer).setUint32(at + 24, 0x7fff_ffff, true)
  const packed = await repackZip(archive, {
    budget: createInflateBudget(archive.length),
    wanted: () => true,
    onData: () => undefined,
  })
  const sizes: number[] = []
  unzipSync(packed, { filter: ({ originalSize }) => sizes.push(originalSize) > 0 })
  expect(sizes).toEqual([5])
})
