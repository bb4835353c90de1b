import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createMemoryBlobStore } from '../../src/memory/blob-store.ts'
import { createDiskBlobStore } from '../../src/node/disk-blob-store.ts'
import { createDiskFlowFiles } from '../../src/node/disk-flow-files.ts'
import { withFileLock } from '../../src/node/file-lock.ts'
import { createDiskProfilePictures } from '../../src/node/disk-profile-pictures.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flow-disk-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

test('AB-77 changes by two disk stores in one folder are serialised', async () => {
  const stores = [1, 2, 3].map(() => createDiskBlobStore(folder))
  await Promise.all(
    stores.flatMap((store, n) =>
      Array.from({ length: 10 }, (_, at) =>
        store.update('a/log', (before) => Uint8Array.of(...(before ?? []), n * 10 + at)),
      ),
    ),
  )
  expect(new Set(await stores[0]?.read('a/log')).size).toBe(30)
})

test('AB-77 a lock left by a dead process is taken over', async () => {
  const path = join(folder, 'log')
  let lock = ''
  await withFileLock(path, async () => {
    lock = join(folder, (await readdir(folder))[0] ?? '')
  })
  await writeFile(lock, '')
  const [now, old] = [new Date(), new Date(Date.now() - 60_000)]
  const waiting = withFileLock(path, () => Promise.resolve(), { waitMs: 0 })
  await expect(waiting).rejects.toThrow('locked by another process')
  await utimes(lock, now, old)
  expect(await withFileLock(path, () => Promise.resolve('done'), { waitMs: 0 })).toBe('done')
  expect(await readdir(folder)).toEqual([])
})

describe.each([
  ['createDiskBlobStore', () => createDiskBlobStore(join(folder, 'blobs'))],
  ['createMemoryBlobStore', () => createMemoryBlobStore()],
])('%s', (_name, create) => {
  test('AB-51 opens small and large files, and nothing else', async () => {
    const store = create()
    if (store.open === undefined) return
    const large = new Uint8Array(600_000).map((_, index) => index % 251)
    await store.write('a/small', bytes('small'))
    await store.write('a/large', large)
    for (const [key, content] of [
      ['a/small', bytes('small')],
      ['a/large', large],
    ] as const) {
      const opened = await store.open(key)
      expect(opened?.size).toBe(content.length)
      const read = new Uint8Array(await new Response(opened?.body).arrayBuffer())
      expect(Buffer.compare(read, content)).toBe(0)
    }
    const left = await store.open('a/large')
    await new Response(left?.body).body?.cancel()
    expect([await store.open('a'), await store.open('a/none')]).toEqual([null, null])
    await expect(store.open('../a')).rejects.toThrow(TypeError)
  })

  test('AB-51 streams bytes to a staged file, which is visible only under its key', async () => {
    const store = create()
    const stage = await store.stage?.()
    for (const piece of ['one ', 'two', '']) await stage?.write(bytes(piece))
    expect(stage?.size).toBe(7)
    expect(await store.list('a')).toEqual([])
    await store.write('a/taken', bytes('x'))
    expect(await stage?.create('a/taken')).toBe(false)
    expect(await stage?.create('a/b.txt')).toBe(true)
    await expect(stage?.create('../b')).rejects.toThrow(TypeError)
    await stage?.discard()
    await stage?.discard()
    expect(await store.read('a/b.txt')).toEqual(bytes('one two'))
    expect(await store.list('a')).toEqual(['b.txt', 'taken'])
    const gone = await store.stage?.()
    await gone?.write(bytes('x'))
    await gone?.discard()
    expect((await readdir(folder, { recursive: true })).filter((name) => /tmp/.test(name))).toEqual(
      [],
    )
  })

  test('writes, replaces, reads and removes', async () => {
    const store = create()
    expect(await store.read('a/b.txt')).toBeNull()
    await store.write('a/b.txt', bytes('one'))
    await store.write('a/b.txt', bytes('two'))
    expect(await store.read('a/b.txt')).toEqual(bytes('two'))
    expect(await store.remove('a/b.txt')).toBe(true)
    expect(await store.remove('a/b.txt')).toBe(false)
    expect(await store.remove('nowhere/b.txt')).toBe(false)
  })

  test('only one of several concurrent creations of a key succeeds', async () => {
    const store = create()
    const outcomes = await Promise.all([1, 2, 3].map((n) => store.create('a/x', bytes(`${n}`))))
    expect(outcomes.filter(Boolean)).toHaveLength(1)
    expect(await store.list('a')).toEqual(['x'])
  })

  test('AB-77 concurrent changes of one key lose nothing, and the size is updated', async () => {
    const store = create()
    expect(await store.size('a/log')).toBeNull()
    const lengths = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        store.update('a/log', async (before) => {
          await Promise.resolve()
          return Uint8Array.of(...(before ?? []), n)
        }),
      ),
    )
    expect(lengths.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
    expect(new Set(await store.read('a/log')).size).toBe(20)
    expect(await store.size('a/log')).toBe(20)
    expect(await store.size('a')).toBeNull()
    expect(await store.list('a')).toEqual(['log'])
  })

  test('AB-77 a change that fails leaves the file unchanged', async () => {
    const store = create()
    await store.write('a/log', bytes('one'))
    const failing = store.update('a/log', () => Promise.reject(new Error('no')))
    await expect(failing).rejects.toThrow('no')
    expect(await store.read('a/log')).toEqual(bytes('one'))
    expect(await store.update('a/log', () => bytes('three'))).toBe(5)
  })

  test('AB-77 files are written while their folder is removed', { tags: ['long'] }, async () => {
    const files = create()
    for (let n = 0; n < 40; n += 1) {
      const stage = await files.stage?.()
      await stage?.write(bytes('x'))
      await Promise.all([
        files.create('a/created', bytes('x')),
        files.write('a/written', bytes('x')),
        stage?.create('a/staged'),
        files.removeFolder('a'),
      ])
      await stage?.discard()
    }
    await files.removeFolder('a')
    expect(await files.list('a')).toEqual([])
  })

  test('lists one folder in code point order and removes it whole', async () => {
    const store = create()
    for (const key of ['f/b', 'f/a', 'f/Ü', 'f/sub/c', 'g/d']) await store.write(key, bytes('x'))
    expect(await store.list('f')).toEqual(['a', 'b', 'Ü'])
    expect(await store.list('none')).toEqual([])
    await store.removeFolder('f')
    await store.removeFolder('f')
    expect(await store.list('f')).toEqual([])
    expect(await store.read('f/sub/c')).toBeNull()
    expect(await store.list('g')).toEqual(['d'])
  })

  test.each(['', '/', '../x', 'a/../b', 'a//b', 'a\\b', 'a/\0', '.', `a/${'x'.repeat(256)}`])(
    'section 11: the key %j is refused',
    async (key) => {
      const store = create()
      await expect(store.read(key)).rejects.toThrow(TypeError)
      await expect(store.write(key, bytes('x'))).rejects.toThrow(TypeError)
      await expect(store.removeFolder(key)).rejects.toThrow(TypeError)
    },
  )
})

describe('createDiskBlobStore', () => {
  test('section 11: a link out of the folder is not followed', async () => {
    const store = createDiskBlobStore(join(folder, 'blobs'))
    await store.write('a/x', bytes('x'))
    await mkdir(join(folder, 'outside'))
    await writeFile(join(folder, 'outside', 'secret'), 'secret')
    await symlink(join(folder, 'outside'), join(folder, 'blobs', 'link'))
    await expect(store.read('link/secret')).rejects.toThrow(TypeError)
    await expect(store.write('link/new', bytes('x'))).rejects.toThrow(TypeError)
  })
})

describe('createDiskFlowFiles', () => {
  test('writes below the folder of the user', async () => {
    const files = createDiskFlowFiles(folder)
    await files.write('u1', 'work/one.json', '{}')
    expect(await readFile(join(folder, 'u1', 'work', 'one.json'), 'utf8')).toBe('{}')
    expect(files.relative('u1', join(folder, 'u1', 'a', 'b.json'))).toBe('a/b.json')
    expect(files.relative('u1', join(folder, 'u2', 'b.json'))).toBeNull()
    expect(files.relative('u1', '/etc/passwd')).toBeNull()
  })

  test('removes all files of a user and none of another', async () => {
    const files = createDiskFlowFiles(folder)
    await files.write('u1', 'work/one.json', '{}')
    await files.write('u2', 'two.json', '{}')
    await files.removeUser?.('u1')
    await files.removeUser?.('nobody')
    expect(await readdir(folder)).toEqual(['u2'])
    await expect(files.removeUser?.('..')).rejects.toThrow(TypeError)
  })

  test('refuses folders and links to the outside', async () => {
    const files = createDiskFlowFiles(folder)
    await files.write('u1', 'work/one.json', '{}')
    await expect(files.write('u1', 'work', '{}')).rejects.toThrow('it names a directory')
    await expect(files.write('u1', 'work/one.json/x', '{}')).rejects.toThrow('a part of it')
    await symlink(tmpdir(), join(folder, 'u1', 'out'))
    await expect(files.write('u1', 'out/x.json', '{}')).rejects.toThrow('leads out')
  })
})

describe('createDiskProfilePictures', () => {
  test('reads pictures and follows no link out of the folder', async () => {
    const pictures = createDiskProfilePictures(join(folder, 'pictures'))
    expect(await pictures.list()).toEqual([])
    await mkdir(join(folder, 'pictures', 'Space'), { recursive: true })
    await writeFile(join(folder, 'pictures', 'Space', 'a.svg'), '<svg/>')
    await writeFile(join(folder, 'secret.svg'), 'secret')
    await symlink(join(folder, 'secret.svg'), join(folder, 'pictures', 'Space', 'b.svg'))
    expect(await pictures.list()).toEqual([{ folder: 'Space', name: 'a.svg' }])
    expect(await pictures.read('Space', 'a.svg')).toEqual(bytes('<svg/>'))
    expect(await pictures.read('Space', 'b.svg')).toBeNull()
    expect(await pictures.read('..', 'secret.svg')).toBeNull()
  })
})
