import { randomBytes } from 'node:crypto'
import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobStage } from '../store/blob-store.ts'
import { isTemporary, linkNew, realFolder, temporaryName } from './safe-folder.ts'

/** Temporary files left by a crashed process are removed after a day. */
const RETENTION_MS = 24 * 3600 * 1000

/**
 * Writes bytes to a temporary file in the root folder, which is renamed when complete.
 * @param inPlace gives `write` the path of a key, whose folder exists
 */
export async function openDiskStage(
  root: string,
  inPlace: <T>(key: string, write: (path: string) => Promise<T>) => Promise<T>,
): Promise<BlobStage> {
  const folder = await realFolder(root, root, true)
  if (folder === undefined) throw new TypeError('The folder cannot be created')
  const path = join(folder, temporaryName(randomBytes(8).toString('hex')))
  const file = await open(path, 'wx', 0o600)
  await removeOld(folder, (await file.stat()).mtimeMs - RETENTION_MS)
  let size = 0
  let isOpen = true
  const close = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    await file.close()
  }
  return {
    get size() {
      return size
    },
    async write(piece) {
      for (let at = 0; at < piece.length;) at += (await file.write(piece, at)).bytesWritten
      size += piece.length
    },
    async create(key) {
      if (isOpen) await file.sync()
      await close()
      return await inPlace(key, (target) => linkNew(path, target))
    },
    async discard() {
      await close()
      await rm(path, { force: true })
    },
  }
}

/** Uses the clock of the file system, which may differ from that of this machine. */
async function removeOld(folder: string, oldest: number): Promise<void> {
  for (const name of (await readdir(folder)).filter(isTemporary)) {
    const path = join(folder, name)
    const entry = await stat(path).catch(() => undefined)
    if (entry !== undefined && entry.mtimeMs < oldest) await rm(path, { force: true })
  }
}
