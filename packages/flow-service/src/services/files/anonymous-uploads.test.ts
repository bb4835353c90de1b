import { expect, test } from 'vitest'
import { createMemoryBlobStore } from '../../memory/blob-store.ts'
import { defaultSettings } from '../../settings.ts'
import { createAnonymousUploadService } from './anonymous-uploads.ts'

const FLOW = 'f0000000-0000-4000-8000-000000000001'
const DAY_MS = 24 * 3600 * 1000

test('AB-50 a file of an anonymous user stays for a day; the sweep and the next upload remove it', async () => {
  const files = createMemoryBlobStore()
  let time = 0
  const strangers = createAnonymousUploadService({
    files,
    runtime: { now: () => new Date(time) },
    settings: defaultSettings,
    store: {},
  } as never)
  const upload = (text: string) =>
    strangers.upload(FLOW, { name: 'a.txt', bytes: new TextEncoder().encode(text) })
  const kept = async () => (await files.list('uploads')).length

  expect(await upload('first')).toMatch(new RegExp(`^${FLOW}/[\\da-f]{64}\\.txt$`))
  time += DAY_MS
  await strangers.sweep()
  expect(await kept()).toBe(1)
  time += 1
  await strangers.sweep()
  expect(await kept()).toBe(0)

  await upload('second')
  time += DAY_MS + 1
  await upload('third')
  expect(await kept()).toBe(1)
})
