import { expect, test } from 'vitest'
import { createMemoryBlobStore } from '../../memory/blob-store.ts'
import { defaultSettings } from '../../settings.ts'
import { createVisitorFiles } from './visitor-files.ts'

const FLOW = 'f0000000-0000-4000-8000-000000000001'
const MB = 1024 * 1024

function setUp() {
  const files = createMemoryBlobStore()
  let time = 0
  const runtime = { now: () => new Date(time) } as never
  const visitors = createVisitorFiles({ files, runtime, settings: defaultSettings })
  return {
    files,
    visitors,
    wait: (ms: number) => (time += ms),
    write: (name: string, size: number) => visitors.change(FLOW, name, () => new Uint8Array(size)),
  }
}

test(
  'AB-55 the visitors of a flow can keep 100 MiB together; an append counts as the whole file',
  { tags: ['long'] },
  async () => {
    const { files, visitors, write } = setUp()
    await write('ada/a', 60 * MB)
    await expect(write('bob/b', 41 * MB)).rejects.toThrow('have reached their file quota')
    expect(await files.size(`visitors/${FLOW}/bob/b`)).toBeNull()
    const grow = (before: Uint8Array | null) => new Uint8Array((before?.length ?? 0) + 30 * MB)
    await visitors.change(FLOW, 'ada/a', grow)
    await expect(visitors.change(FLOW, 'ada/a', grow)).rejects.toThrow(
      'have reached their file quota',
    )
    expect(await files.size(`visitors/${FLOW}/ada/a`)).toBe(90 * MB)
    await write('ada/a', 1)
    await write('bob/b', 41 * MB)
  },
)

test(
  'AB-55 the visitors of a flow can keep 1,000 files together, each for a day',
  { tags: ['long'] },
  async () => {
    const { files, visitors, write, wait } = setUp()
    for (let n = 0; n < 1000; n += 1) await write(`ada/${n}`, 1)
    await expect(write('bob/b', 1)).rejects.toThrow('have reached their file quota')
    await write('ada/7', 2)
    wait(defaultSettings.publicFlowExpiration * 1000 + 1)
    await write('bob/b', 1)
    expect(await files.list(`visitors/${FLOW}/ada`)).toEqual([])
    wait(defaultSettings.publicFlowExpiration * 1000 + 1)
    await visitors.sweep()
    expect(await files.list(`visitors/${FLOW}/bob`)).toEqual([])
    expect(await files.list('visitor-ledgers')).toEqual([])
  },
)
