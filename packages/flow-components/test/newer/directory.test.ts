import { describe, expect, test } from 'vitest'
import { directory } from '@x/flow-components'
import type { ComponentServices } from '@x/flow-engine'
import type { DataFrame } from '@x/flow-engine'
import { createMemoryServices } from '@x/flow-engine/memory'
import { testComponent } from '@x/flow-engine/testing'

const files = {
  'user-1/a.txt': 'a',
  'user-1/b.json': '{"b": 1}',
  'user-1/.hidden.txt': 'h',
  'user-1/reports/c.md': 'c',
  'user-1/reports/deep/d.md': 'd',
  'user-1/picture.png': 'p',
}

async function read(
  inputs: Record<string, unknown>,
  given: ComponentServices = createMemoryServices({ files }),
) {
  const { value } = await testComponent(directory, { inputs, services: given, userId: 'user-1' })
  return (value as DataFrame).rows
}
const paths = async (inputs: Record<string, unknown>) =>
  (await read(inputs)).map((row) => row['file_path'])

describe('Directory (MO-56)', () => {
  test('MO-56: reads the texts of a folder', async () => {
    expect(await read({})).toEqual([
      { file_path: 'user-1/a.txt', text: 'a' },
      { file_path: 'user-1/b.json', text: '{"b":1}' },
    ])
    expect(await paths({ path: 'reports' })).toEqual(['user-1/reports/c.md'])
    expect(await paths({ path: './reports/' })).toEqual(['user-1/reports/c.md'])
    expect(await read({ path: 'nothing' })).toEqual([])
  })

  test('MO-56: applies depth, recursive, types and hidden files', async () => {
    expect(await paths({ depth: 1, types: ['md'] })).toEqual(['user-1/reports/c.md'])
    expect(await paths({ recursive: true, types: ['md'] })).toEqual([
      'user-1/reports/c.md',
      'user-1/reports/deep/d.md',
    ])
    expect(await paths({ load_hidden: true, types: ['txt'] })).toEqual([
      'user-1/.hidden.txt',
      'user-1/a.txt',
    ])
  })

  test.each(['/etc', '..', 'a/../../b', 'C:\\x', '..\\x', '/'])(
    'MO-56: %s escapes the allowed root',
    async (path) => {
      await expect(read({ path })).rejects.toThrow('Directory path escapes the allowed root.')
    },
  )

  test('MO-56: an unreadable file fails the component, or is skipped', async () => {
    const broken = createMemoryServices({ files: { 'x.json': '{', 'y.txt': 'y' } })
    await expect(read({}, broken)).rejects.toThrow('Error loading file x.json: ')
    expect(await read({ silent_errors: true }, broken)).toEqual([{ file_path: 'y.txt', text: 'y' }])
  })

  test('MO-56: too many files and files that are too large are refused', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`${at}.txt`, 'x']))
    await expect(read({}, createMemoryServices({ files: many }))).rejects.toThrow(
      'The folder has 1001 files; at most 1000 are read.',
    )
    const large = { 'a.txt': new Uint8Array(11 << 20), 'b.txt': new Uint8Array(11 << 20) }
    await expect(read({}, createMemoryServices({ files: large }))).rejects.toThrow('exceed 20 MB')
  })

  test('MO-56: without a file store for flows it fails with a clear error', async () => {
    await expect(read({}, {})).rejects.toThrow('This server has no file store for flows')
  })

  test('MO-56: a host can replace the file store to show a folder of its own', async () => {
    const handbook = new Map([['handbook/leave.md', 'Thirty days.']])
    const own = createMemoryServices({ files })
    const services: ComponentServices = {
      ...own,
      files: {
        write: async () => Promise.reject(new Error('not asked for')),
        read: async (path) => {
          const text = handbook.get(path)
          return text === undefined ? null : new TextEncoder().encode(text)
        },
        list: async (prefix) => [...handbook.keys()].filter((path) => path.startsWith(prefix)),
      },
    }
    expect(await read({ path: 'handbook' }, services)).toEqual([
      { file_path: 'handbook/leave.md', text: 'Thirty days.' },
    ])
  })
})
