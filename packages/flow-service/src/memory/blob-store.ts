import { isBlobKey, type BlobStore } from '../store/blob-store.ts'
import { createKeyedQueue } from '@x/wire'
import { joinBytes } from '@x/wire'
import { compareText } from '@x/wire'

/** Creates an in-memory BlobStore. */
export function createMemoryBlobStore(): BlobStore {
  const blobs = new Map<string, Uint8Array>()
  const queue = createKeyedQueue()
  const under = (folder: string): string[] => {
    const start = `${checked(folder)}/`
    return [...blobs.keys()].filter((key) => key.startsWith(start))
  }
  return {
    write: async (key, data) => void blobs.set(checked(key), data.slice()),
    async create(key, data) {
      if (blobs.has(checked(key))) return false
      blobs.set(key, data.slice())
      return true
    },
    async stage() {
      const pieces: Uint8Array[] = []
      let size = 0
      return {
        get size() {
          return size
        },
        async write(piece) {
          pieces.push(piece.slice())
          size += piece.length
        },
        async create(key) {
          if (blobs.has(checked(key))) return false
          blobs.set(key, joinBytes(pieces))
          return true
        },
        async discard() {
          pieces.length = 0
        },
      }
    },
    read: async (key) => blobs.get(checked(key))?.slice() ?? null,
    size: async (key) => blobs.get(checked(key))?.length ?? null,
    update: (key, change) =>
      queue(checked(key), async () => {
        const after = await change(blobs.get(key)?.slice() ?? null)
        blobs.set(key, after.slice())
        return after.length
      }),
    async list(folder) {
      return under(folder)
        .map((key) => key.slice(folder.length + 1))
        .filter((name) => !name.includes('/'))
        .toSorted(compareText)
    },
    remove: async (key) => blobs.delete(checked(key)),
    async removeFolder(folder) {
      for (const key of under(folder)) blobs.delete(key)
    },
  }
}

function checked(key: string): string {
  if (!isBlobKey(key)) throw new TypeError('Malformed blob key')
  return key
}
