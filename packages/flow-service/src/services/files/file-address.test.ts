import { expect, test } from 'vitest'
import { createMemoryBlobStore } from '../../memory/blob-store.ts'
import { isRelativePath, parseAddress } from './file-address.ts'

const ID = 'f0000000-0000-4000-8000-000000000001'

test('a path with thousands of folders is neither a path of a run nor a key of a store', async () => {
  const deep = `${'a/'.repeat(1500)}b`
  expect([isRelativePath('a/b.txt'), isRelativePath(deep)]).toEqual([true, false])
  expect(parseAddress(`${ID}/a/b.txt`)).toEqual({ id: ID, name: 'a/b.txt' })
  expect(parseAddress(`${ID}/${deep}`)).toBeNull()
  expect(parseAddress(`${ID}/../x`)).toBeNull()
  await expect(createMemoryBlobStore().write(deep, new Uint8Array())).rejects.toThrow(TypeError)
})
