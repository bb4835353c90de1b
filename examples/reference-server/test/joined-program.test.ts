import { readFile } from 'node:fs/promises'
import { expect, inject, test } from 'vitest'

test('OP-22: the joined program is ASCII, which V8 keeps at one byte a character', async () => {
  const program = await readFile(inject('joinedServer'))
  expect(program.findIndex((byte) => byte > 127)).toBe(-1)
})
