import { expect, test } from 'vitest'
import { textSlices } from './text-slices.ts'

test('slices keep the text and every surrogate pair', () => {
  const text = `a😀bc😀😀${'x'.repeat(7)}\ud83d`
  for (let size = 1; size < 20; size += 1) {
    const slices = [...textSlices(text, size)]
    expect(slices.join('')).toBe(text)
    expect(slices.map((slice) => Buffer.from(slice).toString()).join('')).toBe(
      Buffer.from(text).toString(),
    )
    for (const slice of slices) expect(slice.length).toBeLessThanOrEqual(size + 1)
  }
  expect([...textSlices('', 3)]).toEqual([])
})
