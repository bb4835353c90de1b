import { readdir, readFile, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { ProfilePictures } from '../services/files/profile-pictures.ts'
import { isFileName } from '../store/blob-store.ts'
import { absoluteRoot, hasCode } from './safe-folder.ts'

/** Serves the pictures of a folder's subfolders; symbolic links that lead outside are not followed. */
export function createDiskProfilePictures(folder: string): ProfilePictures {
  const root = absoluteRoot(folder)
  return {
    async list() {
      const folders = await entriesOf(root, 'folders')
      const lists = await Promise.all(
        folders.map(async (name) =>
          (await entriesOf(join(root, name), 'files')).map((file) => ({
            folder: name,
            name: file,
          })),
        ),
      )
      return lists.flat()
    },
    async read(name, file) {
      if (!isFileName(name) || !isFileName(file)) return null
      try {
        const [home, path] = await Promise.all([realpath(root), realpath(join(root, name, file))])
        return path.startsWith(home + sep) ? new Uint8Array(await readFile(path)) : null
      } catch (error) {
        if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return null
        throw error
      }
    },
  }
}

async function entriesOf(path: string, kind: 'folders' | 'files'): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries
      .filter((entry) => (kind === 'folders' ? entry.isDirectory() : entry.isFile()))
      .map((entry) => entry.name)
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}
