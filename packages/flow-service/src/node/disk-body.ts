import { open, type FileHandle } from 'node:fs/promises'
import type { BlobBody } from '../store/blob-store.ts'
import { hasCode } from './safe-folder.ts'

/** Files up to this size are read at once, which costs less than several reads. */
const WHOLE = 256 * 1024
const PIECE = 256 * 1024

/** Opens a file for sending, in pieces unless it is small; null if it does not exist. */
export async function openDiskBody(path: string): Promise<BlobBody | null> {
  const file = await opened(path)
  if (file === null) return null
  try {
    const entry = await file.stat()
    if (!entry.isFile()) {
      await file.close()
      return null
    }
    const { size } = entry
    if (size > WHOLE) return { size, body: piecesOf(file) }
    const body = new Uint8Array(await file.readFile())
    await file.close()
    return { size: body.length, body }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function opened(path: string): Promise<FileHandle | null> {
  try {
    return await open(path)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return null
    throw error
  }
}

/** Reads one piece for each that is consumed; closes the file at the end. */
function piecesOf(file: FileHandle): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        try {
          const { bytesRead, buffer } = await file.read(new Uint8Array(PIECE), 0, PIECE, null)
          if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead))
          await file.close()
          controller.close()
        } catch (error) {
          await file.close().catch(() => undefined)
          throw error
        }
      },
      cancel: () => file.close(),
    },
    { highWaterMark: 0 },
  )
}
