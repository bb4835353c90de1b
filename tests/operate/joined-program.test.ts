import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { isJoined, joinSources } from '../../tools/join-sources.mjs'

test('OP-22: the joined program is ASCII, which V8 keeps at one byte a character', async () => {
  const program = await readFile(inject('joinedServer'))
  expect(program.findIndex((byte) => byte > 127)).toBe(-1)
})

test('FL-108: a program is joined anew only when a file that went into it has changed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'joined-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [entry, part, output] = ['main.ts', 'part.ts', 'dist/main.js'].map((name) =>
    join(folder, name),
  ) as [string, string, string]
  await writeFile(part, 'export const answer: number = 1\n')
  await writeFile(entry, "import { answer } from './part.ts'\nconsole.log(answer)\n")
  expect(await isJoined(output)).toBe(false)

  await joinSources(entry, output)
  const first = await stat(output)
  await joinSources(entry, output)
  expect((await stat(output)).ino).toBe(first.ino)

  await writeFile(part, 'export const answer: number = 22\n')
  expect(await isJoined(output)).toBe(false)
  await joinSources(entry, output)
  expect(await readFile(output, 'utf8')).toContain('answer = 22')

  await writeFile(output, 'cut off')
  expect(await isJoined(output)).toBe(false)
  await rm(part)
  expect(await isJoined(output)).toBe(false)
})
