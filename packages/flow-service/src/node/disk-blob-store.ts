import { readdir, readFile, rm, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createKeyedQueue } from '@x/wire'
import { compareText } from '@x/wire'
import { isBlobKey, type BlobStore } from '../store/blob-store.ts'
import { openDiskBody } from './disk-body.ts'
import { openDiskStage } from './disk-stage.ts'
import { withFileLock } from './file-lock.ts'
import {
  absoluteRoot,
  createAtomically,
  hasCode,
  isTemporary,
  realFolder,
  writeAtomically,
} from './safe-folder.ts'

/** Attempts to write a file whose folder other processes remove. */
const TRIES = 5

/**
 * A BlobStore in a folder. Writes are atomic and durable before they resolve; no key or symbolic link escapes
 * the folder. Several processes may share it.
 */
export function createDiskBlobStore(folder: string): BlobStore {
  const root = absoluteRoot(folder)
  const queue = createKeyedQueue()
  const locate = async (key: string, make = false): Promise<string | undefined> => {
    if (!isBlobKey(key)) throw new TypeError('Malformed blob key')
    const path = join(root, ...key.split('/'))
    const parent = await realFolder(root, dirname(path), make)
    return parent === undefined ? undefined : join(parent, basename(path))
  }
  const place = async (key: string): Promise<string> => {
    const path = await locate(key, true)
    if (path === undefined) throw new GoneError('The folder cannot be created')
    return path
  }
  /** Writes a file; retries if its folder was removed meanwhile. */
  const inPlace = async <T>(key: string, write: (path: string) => Promise<T>): Promise<T> => {
    for (let left = TRIES; ; left -= 1) {
      try {
        return await write(await place(key))
      } catch (error) {
        if (left === 1 || !(error instanceof GoneError || hasCode(error, 'ENOENT'))) throw error
      }
    }
  }
  const inFolder = async (key: string): Promise<string | undefined> => {
    if (!isBlobKey(key)) throw new TypeError('Malformed blob key')
    return await realFolder(root, join(root, ...key.split('/')))
  }

  return {
    write: (key, data) => inPlace(key, (path) => writeAtomically(path, data)),
    create: (key, data) => inPlace(key, (path) => createAtomically(path, data)),
    stage: () => openDiskStage(root, inPlace),
    read: async (key) => readWhole(await locate(key)),
    async open(key) {
      const path = await locate(key)
      return path === undefined ? null : await openDiskBody(path)
    },
    async size(key) {
      const path = await locate(key)
      try {
        const entry = path === undefined ? undefined : await stat(path)
        return entry?.isFile() === true ? entry.size : null
      } catch (error) {
        if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null
        throw error
      }
    },
    update: (key, change) =>
      queue(key, () =>
        inPlace(key, (path) =>
          withFileLock(path, async () => {
            const after = await change(await readWhole(path))
            await writeAtomically(path, after)
            return after.length
          }),
        ),
      ),
    async list(key) {
      const path = await inFolder(key)
      if (path === undefined) return []
      const entries = await readdir(path, { withFileTypes: true })
      return entries
        .filter((entry) => entry.isFile() && !isTemporary(entry.name))
        .map((entry) => entry.name)
        .toSorted(compareText)
    },
    async remove(key) {
      const path = await locate(key)
      try {
        if (path === undefined) return false
        await unlink(path)
        return true
      } catch (error) {
        if (hasCode(error, 'ENOENT', 'EISDIR', 'EPERM')) return false
        throw error
      }
    },
    async removeFolder(key) {
      const path = await inFolder(key)
      // Retried if others write into it meanwhile.
      if (path !== undefined)
        await rm(path, { recursive: true, force: true, maxRetries: TRIES, retryDelay: 10 })
    },
  }
}

/** A folder was removed right after it was created. */
class GoneError extends TypeError {}

async function readWhole(path: string | undefined): Promise<Uint8Array | null> {
  try {
    return path === undefined ? null : new Uint8Array(await readFile(path))
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EISDIR', 'ENOTDIR')) return null
    throw error
  }
}
