import type { BlobBody, BlobStore } from '../../store/blob-store.ts'

/** The bytes of a key for sending, in pieces if the store can; null if the key does not exist. */
export async function openBlob(files: BlobStore, key: string): Promise<BlobBody | null> {
  if (files.open !== undefined) return await files.open(key)
  const read = await files.read(key)
  if (read === null) return null
  const body = new Uint8Array(read)
  return { size: body.length, body }
}
