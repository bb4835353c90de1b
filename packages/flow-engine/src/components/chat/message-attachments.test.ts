import { expect, test } from 'vitest'
import type { ComponentContext } from '../define/context.ts'
import { readAttachments } from './message-attachments.ts'

const MIB = 1024 * 1024

/** Returns the parts shown to a model for these files, and the warnings; `read` counts the reads. */
async function attach(files: readonly string[], bytes: (path: string) => Uint8Array) {
  const warnings: string[] = []
  let read = 0
  const ctx = {
    flowId: 'f',
    services: { files: { read: (path: string) => ((read += 1), Promise.resolve(bytes(path))) } },
    warn: (text: string) => warnings.push(text),
  } as unknown as ComponentContext
  const parts = await readAttachments(files, ctx).catch((error: unknown) => error)
  return { parts, warnings, read: () => read }
}

test(
  'AB-35 an image attached repeatedly to one message is read until 50 MiB',
  { tags: ['long'] },
  async () => {
    const image = new Uint8Array(15 * MIB)
    const named = Array.from({ length: 100 }, () => 'f/a.png')
    const { parts, read } = await attach(named, () => image)
    expect(String(parts)).toContain('The images of the message are over 50 MiB together')
    expect(read()).toBe(4)
  },
)

test('a message with more than 100 files is refused before any is read', async () => {
  const named = Array.from({ length: 101 }, () => 'f/a.txt')
  const { parts, read } = await attach(named, () => new Uint8Array())
  expect(String(parts)).toContain('The message has 101 files; a model reads at most 100')
  expect(read()).toBe(0)
})

test('text files are included up to 200,000 characters, and each truncated one is named', async () => {
  const sizes: Record<string, number> = { 'f/a.txt': 150_000, 'f/b.txt': 60_000, 'f/c.txt': 5 }
  const { parts, warnings } = await attach(Object.keys(sizes), (path) =>
    new Uint8Array(sizes[path] ?? 0).fill(120),
  )
  expect(parts).toEqual([
    { type: 'text', text: `File a.txt:\n\n${'x'.repeat(150_000)}` },
    { type: 'text', text: `File b.txt:\n\n${'x'.repeat(50_000)}` },
  ])
  expect(warnings).toEqual([
    expect.stringContaining('only the first 50000 characters of the file b.txt'),
    expect.stringContaining('nothing of the file c.txt'),
  ])
})
