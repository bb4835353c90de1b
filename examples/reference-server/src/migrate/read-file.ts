import { open, realpath } from 'node:fs/promises'
import { constants } from 'node:fs'
import { join, sep } from 'node:path'

/** Maximum bytes of a file that is copied: 1 GiB. */
export const MOST_BYTES = 1024 * 1024 * 1024

/**
 * Reads a regular file below a folder. Null if there is none, if it is too large, or if a link leads outside
 * the folder: the creator of the folder could otherwise have files of this machine copied.
 */
export async function readBelow(
  folder: string,
  path: string,
  most = MOST_BYTES,
): Promise<Uint8Array | null> {
  try {
    const [root, real] = await Promise.all([realpath(folder), realpath(join(folder, path))])
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) return null
    // Opening a pipe for reading would wait for its writer.
    const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      const info = await file.stat()
      return info.isFile() && info.size <= most ? await file.readFile() : null
    } finally {
      await file.close()
    }
  } catch {
    return null
  }
}
